/*
 * What more than one operator's reference needs to say about a device that
 * flushes subnormals, and about sums whose order is not fixed.
 */
#include "ops/args.h"

#include <math.h>

double
op_flushed(double x)
{
	return fabs(x) < FLUSH ? fabs(x) : 0.0;
}

uint8_t
op_sum_outcomes(double positive, double negative)
{
	bool up = positive >= OVERFLOW_NEAR, down = negative >= OVERFLOW_NEAR;

	/* An infinite term is no overflow: it decides in any order, and a sum
	 * that has overflown the other way before it is none. */
	if (isnan(positive + negative) || (isinf(positive) && isinf(negative)))
		return 0;
	if (isinf(positive))
		return down ? OP_MAY_BE_NAN : 0;
	if (isinf(negative))
		return up ? OP_MAY_BE_NAN : 0;
	return (uint8_t)((up ? OP_MAY_BE_INF : 0) |
	    (down ? OP_MAY_BE_NEG_INF : 0) | (up && down ? OP_MAY_BE_NAN : 0));
}

struct op_extent
op_matrix(uint32_t rows, uint32_t cols, uint32_t stride)
{
	return (struct op_extent){ rows, cols, stride };
}

struct op_extent
op_vector(uint32_t n)
{
	return (struct op_extent){ 1, n, n };
}

uint32_t
op_cols(const struct op_shape *s)
{
	return s->cols;
}
