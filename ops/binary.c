/*
 * elementwise_add and elementwise_mul.
 *
 * Error bound: one correctly rounded operation, u |y|.
 *
 * What two numbers of 8 or 11 bits make is exact in float32, so that the store
 * alone rounds it, to nearest even: of that nothing may differ either.
 */
#include "ops/args.h"
#include "ops/metamorphic_relations.h"

#include <math.h>

static const struct op_arg args[] = {
	ARG_IN("a"),
	ARG_IN("b"),
	ARG_OUT("out"),
	ARG_UINT(rows),
	ARG_UINT(cols),
	ARG_UINT(a_stride),
	ARG_UINT(b_stride),
	ARG_UINT(out_stride),
};

/* clang-format off */
#define CASE(n, t, d, r, c, ap, bp, op) \
	.name = (n), .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	.shape = { .rows = (r), .cols = (c), .a_stride = (c) + (ap), \
	    .b_stride = (c) + (bp), .out_stride = (c) + (op) }

static const struct op_case smoke = {
	/*    name    type data   rows cols  pads */
	CASE("smoke", F32, NORMAL,   2,  64,  0, 0, 0)
};

static const struct op_case holdouts[] = {
	{ CASE("ragged sizes",            F32,  NORMAL,   3,   67,  0,  0,  0) },
	{ CASE("one column",              F32,  NORMAL,  37,    1,  0,  0,  0) },
	{ CASE("wide rows",               F32,  NORMAL,  17, 4097,  0,  0,  0) },
	{ CASE("more rows than 16 bits count", F32, NORMAL, 65539, 2, 0, 0, 0) },
	{ CASE("more columns than 16 bits count", F32, NORMAL, 1, 262153, 0, 0, 0) },
	{ CASE("float16, strided",        F16,  NORMAL,   7,  127,  9,  1,  3) },
	{ CASE("bfloat16",                BF16, NORMAL,   5,  129,  0,  0,  0) },
	{ CASE("strided rows",            F32,  NORMAL,  11,   61,  3, 19, 35) },
	{ CASE("tiny magnitudes",         F32,  TINY,     4,  255,  0,  0,  0) },
	{ CASE("large magnitudes",        F16,  LARGE,    5,  150,  0,  0,  0) },
	{ CASE("magnitudes over a wide range", F32, WIDE, 4,  130,  0,  0,  0) },
	{ CASE("special values",          F32,  SPECIAL, 64,   40,  0,  0,  0) },
	{ CASE("empty",                   F32,  NORMAL,   0,   64,  0,  0,  0) },
	{ CASE("undisclosed width",       F32,  NORMAL,   6,  100,  4,  0,  2), VARY(cols, 65, 700) },
};
static const struct op_case exact[] = {
	{ CASE("whole numbers",            F32, INTEGER, 5,   67,  3,  0,  1) },
	{ CASE("whole numbers, wide rows", F32, INTEGER, 2, 4097,  0,  0,  0) },
	{ CASE("halfway, float16",         F16, HALFWAY, 5,   67,  0,  1,  0) },
	{ CASE("halfway, bfloat16",       BF16, HALFWAY, 5,   67,  1,  0,  0) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	const uint32_t strides[] = { s->a_stride, s->b_stride, s->out_stride };

	return op_matrix(s->rows, s->cols, strides[arg]);
}

static void
add_reference(const struct op_instance *in, double *y, double *bound)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	for (size_t i = 0; i < n; i++) {
		y[i] = (double)in->in[0][i] + (double)in->in[1][i];
		bound[i] = ROUND_U * fabs(y[i]) +
		    op_flushed((double)in->in[0][i]) +
		    op_flushed((double)in->in[1][i]);
	}
}

static void
mul_reference(const struct op_instance *in, double *y, double *bound)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	for (size_t i = 0; i < n; i++) {
		y[i] = (double)in->in[0][i] * (double)in->in[1][i];
		bound[i] = ROUND_U * fabs(y[i]);
	}
}

/* Of a subnormal factor a device may make a zero. */
static void
mul_outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	(void)other;
	for (size_t i = 0; i < n; i++) {
		double a = (double)in->in[0][i], b = (double)in->in[1][i];

		if (op_flushed(a) == 0.0 && op_flushed(b) == 0.0)
			continue;
		may[i] = isinf(a) || isinf(b) ? OP_MAY_BE_NAN : OP_MAY_BE_ZERO;
	}
}

static void
swap_inputs(struct op_instance *in)
{
	float *a = in->in[0];

	in->in[0] = in->in[1];
	in->in[1] = a;
}

static const struct op_relation add_relations[] = {
	{ .name = "b + a is a + b", .change = swap_inputs },
	{ .name = "2a + 2b is 2(a + b)",
	    .scale = { 2.0f, 2.0f },
	    .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

static const struct op_relation mul_relations[] = {
	{ .name = "b a is a b", .change = swap_inputs },
	{ .name = "(4a) b is 4 (a b)", .scale = { 4.0f }, .scale_out = 4.0f },
	RELATIONS_OF_ROWS,
};

const struct op op_elementwise_add = {
	.name = "elementwise_add",
	.category = "elementwise",
	.formula = "out = a + b",
	.notes = "",
	OP_TABLES,
	.reference = add_reference,
	.bench = &op_bench_map,
	.is_elementwise = true,
	.keeps_zero_sign = true,
	.flush_frees_zero_sign = true,
	OP_ROWS(exact, exact),
	OP_ROWS(relations, add_relations),
};

const struct op op_elementwise_mul = {
	.name = "elementwise_mul",
	.category = "elementwise",
	.formula = "out = a * b",
	.notes = "",
	OP_TABLES,
	.reference = mul_reference,
	.outcomes = mul_outcomes,
	.bench = &op_bench_map,
	.is_elementwise = true,
	.keeps_zero_sign = true,
	OP_ROWS(exact, exact),
	OP_ROWS(relations, mul_relations),
};
