/* What a cover holds, for the files that run its program. */
#ifndef LAB_COVERAGE_COUNT_PRIV_H
#define LAB_COVERAGE_COUNT_PRIV_H

#include "lab/stages/coverage_count.h"
#include "ops/draw.h"

#define RUNS_MAX 256

struct flight {
	struct cover_run run;
	struct pack pack;
	struct order_count order;
	size_t input_at, output_at, counters_at;
	bool is_whole, is_in_order;
};

/* Who takes an outcome: see coverage_shortcuts.h. */
struct taken {
	uint32_t made; /* a bit for each case that was made for it */
	bool plainly, is_shortcut;
};

struct cover {
	enum dtype dtype;
	struct program *program; /* owned */
	const struct prog_function *kernel;
	struct seek *seek; /* owned */
	char *text;        /* owned: the IR */
	size_t text_bytes;
	struct child_handle *worker; /* owned; NULL: not started */
	struct flight runs[RUNS_MAX];
	size_t nruns, nsent, njudged;
	size_t input_bytes, output_bytes; /* of the batch */
	void *input, *output;
	uint32_t *counters;  /* owned: of batches before this one */
	uint32_t *far;       /* owned: of launches far out */
	struct taken *taken; /* owned: of each counter */
	uint64_t instructions;
	unsigned judged, ended; /* runs; those within their budget */
	struct draw dice;
	unsigned nth; /* order, of all that were sent */
};

/* Forgets what is queued; it has been judged, or is not wanted. */
void cover_begin_batch(struct cover *c);

/* What every element should be, rounded to the storage type. */
void cover_put_right(struct op_instance *in, float *ret);

/*
 * One run in order, awaited and judged, of a cover that has nothing else to run.
 * false: it did not come to its end, or to one without a finding.  *o: what is
 * wrong.  *ret_counters: borrowed until the next run.
 */
bool cover_judge_alone(struct trial *t, struct cover *c,
    const struct cover_run *run, struct trial_outcome *o,
    const uint32_t **ret_counters);

#endif
