/*
 * Pass or fail of one output against reference and bound: verification.md
 * section 4.  Pure.
 *
 *	ratio = max |got - y| / (bound + half_ulp(|y| + bound) + tiny)
 *	ratio <= 1 verified, <= 64 inaccurate, beyond or a non-finite
 *	mismatch: wrong.  An element equal to both poisons: unwritten.
 *
 * A finite y past the storage type's range must come out as infinity; within
 * the bound of that limit either is right.  tiny is 2^-126: a device may
 * flush float32 subnormals to zero.
 */
#ifndef OPS_JUDGE_H
#define OPS_JUDGE_H

#include "ops/dtype.h"
#include <stdbool.h>
#include <stddef.h>

enum judge_grade {
	JUDGE_VERIFIED,
	JUDGE_INACCURATE,
	JUDGE_WRONG,
	JUDGE_NGRADES
};

struct judge_result {
	enum judge_grade grade;
	double max_abs_diff, max_rel_diff; /* over finite elements */
	double bound_ratio; /* infinity on a non-finite mismatch */
	size_t worst;       /* packed index of the worst element */
};

/* got, y, bound: n elements, packed; got as loaded from storage type t. */
void judge_compare(enum dtype t, size_t n, const float *got, const double *y,
    const double *bound, struct judge_result *ret);

/*
 * The smoke test's look, as a careful person compares by hand: every element
 * within 1 % of y plus 0.01, and not finite where y is not.  It is loose on
 * purpose: what it lets through is the holdouts' to find.
 */
bool judge_smoke(size_t n, const float *got, const double *y);

const char *judge_grade_name(enum judge_grade g);

#endif
