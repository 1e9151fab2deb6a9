/*
 * Whose fault is it that other values come out when work items run in another
 * order: the kernel's, or the device compiler's?
 *
 * PoCL's work-item loops get some correct kernels wrong: where a barrier lies
 * behind a way out of the kernel ("if (row % 8 == 7) return;"), a branch
 * after it may follow what the group's first item does (PoCL 3.1).  In
 * order, that first item is item 0, and nobody sees it; backwards it is the
 * last one.  A kernel without a data race and without atomics cannot depend
 * on the order, and Oclgrind sees every data race: it decides.
 */
#ifndef LAB_ARBITER_H
#define LAB_ARBITER_H

#include "lab/stages/trial.h"

/* A case and how it failed. */
struct arbiter_case {
	const struct trial_case *tc;
	struct trial_outcome outcome;
};

/*
 * true: none of them is the kernel's fault.  false: trial_fail() was called,
 * with the first that is; also where it cannot be told.
 */
bool arbiter_acquits(struct trial *t, const struct arbiter_case *cases,
    size_t n);

#endif
