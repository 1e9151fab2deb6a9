/* Launches far out: what makes them and what judges their values share. */
#ifndef LAB_HUGE_LAUNCH_PRIV_H
#define LAB_HUGE_LAUNCH_PRIV_H

#include "lab/probe/machine.h"
#include "lab/stages/huge_launch.h"
#include "ops/draw.h"

#define HUGE_SOUGHT_MAX ((size_t)10) /* for ways that no other one takes */
#define HUGE_MORE_MAX                                                          \
	(HUGE_SOUGHT_MAX + SEEK_GUARDED_MAX + SEEK_STRETCHED_MAX +             \
	    SEEK_STEPS_MAX)
#define HUGE_RUNS_MAX (SHAPES_NFAR + HUGE_MORE_MAX)

#define HUGE_WRITTEN_MAX 16384 /* elements that are listed */

/* What groups from all over a launch have written. */
struct huge_reach {
	uint64_t groups, elements;
	uint64_t most; /* elements of one of them */
	bool is_far;   /* in the last eighth of the output */
	bool is_wide;  /* in the last eighth of a row */
	bool is_leapt; /* some elements were counted by what is like them */
};

struct huge_launch_run {
	const char *name; /* what is far */
	struct order_count order;
	struct op_shape shape;
	struct op_extent out;
	uint64_t all_groups;
	uint64_t group_elements; /* of its largest tensor, for each group */
	bool walks;              /* its items go far, each */
	bool is_cut;             /* its budget ended it */
	struct huge_reach reach;
	bool is_asked_again;
	bool is_hasty; /* then, over short loops as well */
};

struct huge_launch {
	enum dtype dtype;
	struct child_handle *worker; /* owned */
	struct huge_launch_run runs[HUGE_RUNS_MAX];
	size_t nruns;
	size_t out_arg;
	void *input, *output;
	struct draw dice;
	struct why why; /* why it could not be started */
};

/* What a run has listed. */
const struct machine_written *huge_written(const struct huge_launch *f,
    const struct huge_launch_run *r);

/* Asks for the groups that the run's order names, by themselves and with more
 * time.  false: trial_fail() was called. */
bool huge_ask(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r, struct order_answer *a);
/* Returns false. */
bool huge_fail(struct trial *t, const struct huge_launch *f,
    const struct huge_launch_run *r, const struct trial_outcome *o);

/* Is nothing left out because groups write what others write?  false:
 * trial_fail() was called. */
bool huge_judge_shares(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r);

/* Are rows short enough for values to be judged at all?  Where not, what ran is
 * no cover. */
bool huge_can_judge_values(const struct op *op,
    const struct huge_launch_run *r);
/* Are n written elements the formula's?  false: *o says so. */
bool huge_judge_values(const struct op *op, const struct huge_launch *f,
    const struct huge_launch_run *r, uint64_t n, struct trial_outcome *o);

#endif
