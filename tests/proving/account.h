/*
 * What a mutation run came to: the kill matrix and the two headline numbers.
 */
#ifndef TESTS_PROVING_ACCOUNT_H
#define TESTS_PROVING_ACCOUNT_H

#include "tests/proving/corpus.h"
#include "tests/proving/sorting.h"
#include <jansson.h>
#include <stdio.h>

struct account_row {
	size_t fates[FATE_NFATES];
	size_t kills[LAB_NSTAGES]; /* by the stage that refuses first */
	size_t broken;             /* contracts not kept */
};

struct account {
	const struct corpus *corpus; /* borrowed, as below */
	const struct mutants *mutants;
	struct finding *findings; /* owned, sorted by kernel and mutant */
	size_t n;
	struct account_row *rows;  /* owned; one an operator, then the total */
	size_t alone[LAB_NSTAGES]; /* mutants that only this stage kills */
};

/* What a run must reach to pass; 0: nothing. */
struct account_goal {
	size_t silent;       /* in all */
	size_t per_operator; /* silent ones of each corruption operator */
};

void account_init(struct account *a, const struct corpus *corpus,
    const struct mutants *mutants);
void account_done(struct account *a);
void account_add(struct account *a, const struct finding *f);
/* One finding on one line. */
void account_tell(const struct account *a, const struct finding *f, FILE *out);
/* Sorts and counts, after the last one. */
void account_close(struct account *a);

size_t account_silent(const struct account_row *r);

void account_print(const struct account *a, FILE *f);
json_t *account_json(const struct account *a);

/* Every silent mutant killed, no good kernel refused, every contract kept, no
 * gap in the witness suite, and the goal reached; what is not is said on f. */
bool account_passes(const struct account *a, const struct account_goal *goal,
    FILE *f);

#endif
