/*
 * A lane: one child that runs its cases by itself, each launched once, while
 * the judge is busy with another child.  The replay and the mirrored build
 * run in lanes, so that both cores have work.
 *
 * Nothing is judged here: a lane keeps how its build and its launches ended,
 * and what came out of them, until its stage asks.  There are no threads: a
 * lane is seen to whenever the judge waits for an answer in lanes_await().
 */
#ifndef LAB_LANE_H
#define LAB_LANE_H

#include "lab/stages/trial_build.h"
#include "lab/stages/trial_launch.h"

struct lane;

/* One case of a lane, once the lane has ended. */
struct lane_case {
	struct trial_case *tc;  /* borrowed */
	float *got;             /* out.rows * out.cols, if it was launched */
	struct trial_outcome o; /* of the launch: values are not compared */
};

/*
 * Starts a child with a build; where: how its cases are launched, but for the
 * worker.  The lane is in t->lanes from here on and ends with the trial.
 * false: trial_fail() was called.
 */
bool lane_start(struct trial *t, const struct trial_build *b,
    const struct trial_launch *where, struct lane **ret);
/* The lane's next case: only before anything is awaited. */
void lane_add(struct lane *l, struct trial_case *tc);

/* Waits until the lane has run its cases or cannot go on: after a launch that
 * ended its child, the others have that launch's outcome.  false: it was not
 * built, and trial_fail() was called. */
bool lane_finish(struct trial *t, struct lane *l);
size_t lane_count(const struct lane *l);
struct lane_case *lane_at(struct lane *l, size_t i);

/* Ends the child; NULL-safe. */
void lane_free(struct lane *l);

/* child_handle_await() of a child that no lane has, the lanes running
 * meanwhile. */
enum child_handle_event lanes_await(struct trial *t, struct child_handle *w,
    struct order_answer *ret);

#endif
