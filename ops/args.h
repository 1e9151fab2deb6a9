/*
 * Rows of argument tables, as the operators' files write them, and case rows
 * for the many operators over matrices with (rows, cols).
 */
#ifndef OPS_ARGS_H
#define OPS_ARGS_H

#include "ops/op.h"

/* clang-format off */
#define ARG_IN(name)           { name, OP_IN, OP_DRAW_DATA, 0 }
#define ARG_DRAWN(name, draw)  { name, OP_IN, draw, 0 }
#define ARG_OUT(name)          { name, OP_OUT, OP_DRAW_DATA, 0 }
#define ARG_POSITIONS(name)    { name, OP_POSITIONS, OP_DRAW_DATA, 0 }
#define ARG_SCALAR(kind, field) \
	{ #field, kind, OP_DRAW_DATA, offsetof(struct op_shape, field) }
#define ARG_UINT(field)        ARG_SCALAR(OP_UINT, field)
#define ARG_REAL(field)        ARG_SCALAR(OP_REAL, field)
/* clang-format on */

/* One dimension from the secret seed, for the end of a case row. */
#define VARY(field, min, max)                                                  \
	.vary = true, .vary_offset = offsetof(struct op_shape, field),         \
	.vary_min = (min), .vary_max = (max)

/* A table of an operator and its length, and the tables that every operator's
 * file has under these names. */
#define OP_ROWS(field, rows) .field = (rows), .n##field = COUNT(rows)
#define OP_TABLES                                                              \
	OP_ROWS(args, args), OP_ROWS(holdouts, holdouts), .smoke = &smoke,     \
	                                                  .extent = extent

/* u: half the distance from 1 to the next float; what one correctly rounded
 * operation may cost.  An OpenCL budget of n ulp is 2n of these. */
#define ROUND_U 0x1p-24

/* What a device that flushes subnormals to zero may lose of one value: all of
 * a subnormal, and op_flushed() says how much of x. */
#define FLUSH 0x1p-126
double op_flushed(double x);

/* Where a sum of floats may overflow on the way, in some order: just below the
 * largest float. */
#define OVERFLOW_NEAR 0x1.ffp127
/* The outcomes of a sum, given its positive and its negative terms' sums: an
 * order may take all of either first. */
uint8_t op_sum_outcomes(double positive, double negative);

/* The extents of matrices and vectors over rows and cols. */
struct op_extent op_matrix(uint32_t rows, uint32_t cols, uint32_t stride);
struct op_extent op_vector(uint32_t n);
/* op_sums.length of what sums rows. */
uint32_t op_cols(const struct op_shape *s);

#endif
