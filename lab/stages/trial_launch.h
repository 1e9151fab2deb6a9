/* A case flies: it is laid out, launched, and its memory is looked at. */
#ifndef LAB_TRIAL_LAUNCH_H
#define LAB_TRIAL_LAUNCH_H

#include "lab/run/child_handle.h"
#include "lab/run/poisoned_buffers.h"
#include "lab/stages/trial.h"
#include "ops/element_judge.h"

/* What one case came to: NULL class when it passed. */
struct trial_outcome {
	enum lab_verdict verdict;
	const char *class;
	char detail[WHY_MAX];
	bool alive; /* the child can go on */
	struct judge_result values;
	double got, want; /* of values.worst, once values were compared */
	bool is_compared;
};

void trial_set_outcome(struct trial_outcome *o, enum lab_verdict v,
    const char *class, const char *detail);

/* Where a launch happens. */
struct trial_launch {
	struct child_handle *worker;
	bool elsewhere; /* see trial_ends_exactly() */
	bool once;      /* one launch, from this poison */
	enum pack_poison poison;
};

/* Elsewhere, a case's buffers lie at the other end of their pages, or end with
 * their pages to the byte: which of both, the secret seed says. */
bool trial_ends_exactly(const struct trial *t, const struct trial_case *tc);

/*
 * Launches a case on the device, or in the machine where that has taken its
 * place: three times, from two poisons, or once, and looks at memory:
 * writes outside, elements never written, launches that differ.  got: out.rows
 * * out.cols.  false: *o says what was found.
 */
bool trial_launch(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, float *got, struct trial_outcome *o);

/*
 * Its steps.  Start: lays the buffers out and sends the first launch, unless
 * the geometry is empty.  Ended: what the child has answered to it, or not.
 * Inspect: memory, once all launches have run.  false: *o says what was found.
 */
#define TRIAL_LAUNCHES 3
struct trial_flight {
	struct pack pack;
	struct order_launch launch;
	void *outputs[TRIAL_LAUNCHES]; /* in the worker's arena */
};
bool trial_launch_start(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, struct trial_flight *ret,
    struct trial_outcome *o);
bool trial_launch_ended(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, enum child_handle_event event,
    const struct order_answer *a, struct trial_outcome *o);
/* Once it has been awaited: what it took is taken off what all launches of the
 * candidate may take together, until that is spent. */
void trial_launch_charge(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc);
bool trial_launches_are_spent(const struct trial *t);
bool trial_launch_inspect(const struct trial_launch *where,
    const struct trial_case *tc, const struct trial_flight *f, float *got,
    struct trial_outcome *o);

#endif
