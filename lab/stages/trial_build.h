/* A candidate is built, in a child of its own for each storage type. */
#ifndef LAB_TRIAL_BUILD_H
#define LAB_TRIAL_BUILD_H

#include "lab/run/child_handle.h"
#include "lab/stages/trial.h"

/* How a program is built. */
struct trial_build {
	enum dtype dtype;
	const struct child_handle *beside; /* replay from its cache; or NULL */
};

/* Starts a child and sends it a build; then waits for the build's end.
 * false: trial_fail() was called, and *ret may be a child that failed. */
bool trial_build_start(struct trial *t, const struct trial_build *b,
    struct child_handle **ret);
bool trial_build_await(struct trial *t, const struct trial_build *b,
    struct child_handle *w);
/* The same once the build has ended. */
bool trial_build_ended(struct trial *t, const struct trial_build *b,
    struct child_handle *w, enum child_handle_event event,
    const struct order_answer *a);

#endif
