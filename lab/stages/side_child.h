/*
 * A side child: one child that runs its cases by itself, each launched once,
 * while the judge is busy with another child.  The replay and the mirrored
 * build run in side children, so that both cores have work.
 *
 * Nothing is judged here: a side child keeps how its build and its launches
 * ended, and what came out of them, until its stage asks.  There are no
 * threads: a side child is seen to whenever the judge waits for an answer in
 * side_children_await().
 */
#ifndef LAB_SIDE_CHILD_H
#define LAB_SIDE_CHILD_H

#include "lab/stages/trial_build.h"
#include "lab/stages/trial_launch.h"

struct side_child;

/* One case of a side child, once it has ended. */
struct side_child_case {
	struct trial_case *tc;  /* borrowed */
	float *got;             /* out.rows * out.cols, if it was launched */
	struct trial_outcome o; /* of the launch: values are not compared */
};

/*
 * Starts a child with a build; where: how its cases are launched, but for the
 * worker.  It is in t->side from here on and ends with the trial.
 * false: trial_fail() was called.
 */
bool side_child_start(struct trial *t, const struct trial_build *b,
    const struct trial_launch *where, struct side_child **ret);
/* Its next case: only before anything is awaited. */
void side_child_add(struct side_child *l, struct trial_case *tc);

/* Waits until it has run its cases or cannot go on: after a launch that
 * ended its child, the others have that launch's outcome.  false: it was not
 * built, and trial_fail() was called. */
bool side_child_finish(struct trial *t, struct side_child *l);
size_t side_child_count(const struct side_child *l);
struct side_child_case *side_child_at(struct side_child *l, size_t i);

/* Ends the child; NULL-safe. */
void side_child_free(struct side_child *l);

/* child_handle_await() of a child that is none of them, they running
 * meanwhile. */
enum child_handle_event side_children_await(struct trial *t,
    struct child_handle *w, struct order_answer *ret);

#endif
