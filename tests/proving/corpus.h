/*
 * The corpus of known-good kernels: the plain ones, which the program itself
 * offers, and tests/corpus/good/OP_FORM.cl.
 */
#ifndef TESTS_PROVING_CORPUS_H
#define TESTS_PROVING_CORPUS_H

#include "cltext/candidate.h"
#include "cltext/corruption.h"
#include "ops/op.h"

struct kernel {
	char *name; /* owned: "rope_row.cl" */
	char *text; /* owned: the whole file */
	size_t len;
	const struct op *op;
	struct candidate candidate;
};

struct corpus {
	struct kernel *items; /* owned */
	size_t n;
};

/* dirs: "DIR:DIR".  ERR_NOTFOUND: no kernel there; ERR_SYNTAX: one that cannot
 * be read, named in *why. */
enum err corpus_read(const char *dirs, struct corpus *ret, struct why *why);
void corpus_done(struct corpus *c);

/* One place where one corruption operator can rewrite one kernel. */
struct mutant {
	uint32_t kernel, operator, site; /* numbers in corpus and registry */
	uint32_t line;
};

struct mutants {
	struct mutant *items; /* owned; by kernel, operator, site */
	size_t n;
};

/* All mutants of the corpus; with per_operator not 0 that many an operator,
 * spread evenly over its sites. */
void mutants_find(const struct corpus *c, size_t per_operator,
    struct mutants *ret);
/* Keeps n of them, drawn from the seed, in their order. */
void mutants_sample(struct mutants *m, size_t n, const uint8_t seed[32]);
void mutants_done(struct mutants *m);

/* The mutated file as a candidate; false: it cannot even be read. */
bool mutant_make(const struct corpus *c, const struct mutant *m,
    struct candidate *ret);

#endif
