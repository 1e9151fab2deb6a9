/* A case is judged: its launch, and its values beside the reference. */
#ifndef LAB_TRIAL_RUN_H
#define LAB_TRIAL_RUN_H

#include "lab/stages/trial_launch.h"

/* Compares with the reference by the error bound, into o->values and o. */
void trial_compare(const struct trial_case *tc, const float *got,
    struct trial_outcome *o);
/* A case's first launch: errors of some are pooled, too. */
void trial_compare_first(struct trial *t, const struct trial_case *tc,
    const float *got, struct trial_outcome *o);
/* Are errors no larger than float32's, over all cases where they are pooled?
 * false: trial_fail() was called. */
bool trial_errors_are_float32(struct trial *t);

/*
 * Runs one case in the child of its storage type, judges it, and appends its
 * result to the report.  *ret_alive: the child can run another case.
 * false: the case failed and trial_fail() was called.
 */
bool trial_run(struct trial *t, struct trial_case *tc, bool *ret_alive);
/* The same with one launch, for a case among hundreds: only one that fails is
 * reported. */
bool trial_run_quietly(struct trial *t, struct trial_case *tc);
/* Records a failed outcome of a case that is not in the report, with its
 * message, its shape and its worst element. */
void trial_fail_case(struct trial *t, const struct trial_case *tc,
    const struct trial_outcome *o);

#endif
