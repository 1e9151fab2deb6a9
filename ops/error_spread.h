/*
 * "Float32 or better", judged by how errors are spread.
 *
 * An error bound is a worst case: for a row of 4,096 it lets a sum through that
 * was accumulated wholly in half.  But over many elements rounding errors have
 * a size of their own, which the judge measures: it does the same sums on the
 * same data in float32, in each of the usual orders, and holds the root mean
 * square of a kernel's errors against the worst of these.
 *
 * Answers are pooled by the length of their sum, over all cases of a storage
 * type: a mistake that only long sums show is not drowned by short ones.  What
 * rests on one sum is one sample, however many elements it has: a row's mean
 * that is off moves them all together.
 */
#ifndef OPS_ERROR_SPREAD_H
#define OPS_ERROR_SPREAD_H

#include "ops/element_judge.h"

#define SPREAD_NLENGTHS 16 /* from 2^4, each twice the one before */

struct spread {
	struct {
		size_t n, above; /* samples; those above the factor, */
		/* Those that each of our orders rounds, and of these those
		 * that are far beyond all of them. */
		size_t rounds, far;
		/* Sums of mean squares, in units of the bound. */
		double got, rounded[OP_NORDERS];
	} lengths[SPREAD_NLENGTHS];
};

/* Adds a case's elements; of an operator without sums, nothing. */
void spread_add(struct spread *s, const struct op_instance *in,
    const struct judge_want *w, const float *got);

/*
 * Are the errors no larger than a few times float32's?  *ret_factor: how many
 * times at the length where they are the most, *ret_length: which one.
 */
bool spread_is_float32(const struct spread *s, double *ret_factor,
    uint32_t *ret_length);

#endif
