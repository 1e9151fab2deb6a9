/*
 * swiglu: silu(gate) * up, silu(g) = g / (1 + exp(-g)).
 *
 * Error bound.  Relative, in units of u.  By g / (1 + exp(-g)): exp within
 * 3 ulp (6), its share of 1 + exp at most 1; the addition 1; the division
 * 2.5 ulp (5); a product 1; 13.  By z / (1 + z) with z = exp(-|g|), the form
 * that cannot overflow, at most 16: z is in the numerator too (6), at most
 * half of the denominator (3).  The product with up is 1 more: 17.  Where
 * exp(-g) overflows, or the sigmoid falls below 2^-126 and is flushed, what is
 * lost is at most 2^-126 |gate up|; where up is subnormal, all of it.
 */
#include "ops/args.h"
#include "ops/metamorphic_relations.h"

#include <math.h>

static const struct op_arg args[] = {
	ARG_IN("gate"),
	ARG_IN("up"),
	ARG_OUT("out"),
	ARG_UINT(rows),
	ARG_UINT(cols),
	ARG_UINT(gate_stride),
	ARG_UINT(up_stride),
	ARG_UINT(out_stride),
};

/* clang-format off */
#define CASE(n, t, d, r, c, gp, up, op) \
	.name = (n), .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	.shape = { .rows = (r), .cols = (c), .gate_stride = (c) + (gp), \
	    .up_stride = (c) + (up), .out_stride = (c) + (op) }

static const struct op_case smoke = {
	/*    name     type data   rows cols  pads */
	CASE("smoke",  F32, NORMAL,   2,  64,  0, 0, 0)
};

static const struct op_case holdouts[] = {
	{ CASE("ragged sizes",             F32,  NORMAL,   3,   67,  0,  0,  0) },
	{ CASE("one column",               F32,  NORMAL,  37,    1,  0,  0,  0) },
	{ CASE("wide rows",                F32,  NORMAL,  17, 4097,  0,  0,  0) },
	{ CASE("more rows than 16 bits count", F32, NORMAL, 65539, 2, 0, 0, 0) },
	{ CASE("more columns than 16 bits count", F32, NORMAL, 1, 262153, 0, 0, 0) },
	{ CASE("float16, strided",         F16,  NORMAL,   7,  127,  9,  1,  3) },
	{ CASE("bfloat16",                 BF16, NORMAL,   5,  129,  0,  0,  0) },
	{ CASE("strided rows",             F32,  NORMAL,  11,   61,  3, 19, 35) },
	{ CASE("tiny magnitudes",          F32,  TINY,     4,  255,  0,  0,  0) },
	{ CASE("large magnitudes",         F32,  LARGE,    5,  150,  0,  0,  0) },
	{ CASE("magnitudes over a wide range", BF16, WIDE, 4,  130,  0,  0,  0) },
	{ CASE("special values",           F32,  SPECIAL, 64,   40,  0,  0,  0) },
	{ CASE("empty",                    F32,  NORMAL,   0,   64,  0,  0,  0) },
	{ CASE("undisclosed width",        F32,  NORMAL,   6,  100,  4,  0,  2), VARY(cols, 65, 700) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	const uint32_t strides[] = { s->gate_stride, s->up_stride,
		s->out_stride };

	return op_matrix(s->rows, s->cols, strides[arg]);
}

static void
reference(const struct op_instance *in, double *y, double *bound)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	for (size_t i = 0; i < n; i++) {
		double g = (double)in->in[0][i], up = (double)in->in[1][i];
		double silu;

		silu = g / (1.0 + exp(-g));
		y[i] = silu * up;
		bound[i] = ROUND_U * 17 * fabs(y[i]) +
		    fmin(FLUSH * (1 + fabs(g)) * fabs(up) +
		            op_flushed(up) * fabs(silu),
		        fabs(y[i]));
	}
}

/* A silu that is flushed to zero, or whose exp(-g) overflows, times infinity.
 */
static void
outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	(void)other;
	for (size_t i = 0; i < n; i++) {
		double g = (double)in->in[0][i];

		/* silu(g) is near g / 2 where g is small. */
		if (isinf(in->in[1][i]) &&
		    (exp(g) < FLUSH || fabs(g) <= 2.0 * FLUSH * (1 + 0x1p-20)))
			may[i] = OP_MAY_BE_NAN;
		/* Infinity, or what is past the range, times a flushed up. */
		if (g >= OVERFLOW_NEAR &&
		    op_flushed((double)in->in[1][i]) > 0.0)
			may[i] = OP_MAY_BE_NAN;
	}
}

static const struct op_relation relations[] = {
	{ .name = "up doubled doubles the answer",
	    .scale = { 0.0f, 2.0f },
	    .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

const struct op op_swiglu = {
	.name = "swiglu",
	.category = "activation",
	.formula = "out = silu(gate) * up, silu(g) = g / (1 + exp(-g))",
	.notes = "",
	OP_TABLES,
	.reference = reference,
	.outcomes = outcomes,
	.is_elementwise = true,
	.bench = &op_bench_gated,
	OP_ROWS(relations, relations),
};
