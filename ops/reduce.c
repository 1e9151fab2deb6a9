/*
 * Reductions along a row: sum_last, mean_last, max_last.
 *
 * Error bound, with S = sum |x|: n - 1 additions in any order are off by at
 * most (n - 1) u S to first order, so n u S covers the sum.  The mean divides
 * it (2.5 ulp, 5) or multiplies by 1/n (6): u ((n S) / n + 6 |y|).  The maximum
 * is exact, and NaN if the row holds one.  So is a sum that no order rounds, as
 * of whole numbers: a term that is lost has no room in a long row's bound.
 *
 * What a device flushes of subnormal terms and of as many partial sums adds
 * n 2^-126.  A partial sum of huge terms may overflow in one order and not in
 * another: see the outcomes.  A maximum has no such freedom.
 *
 * No case has one column (a copy would be right), and mean_last and max_last
 * none of constant rows.
 */
#include "ops/args.h"

#include "base/mem.h"
#include "ops/float32_sums.h"
#include "ops/metamorphic_relations.h"
#include "ops/suspect_cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct op_arg args[] = {
	ARG_IN("x"),
	ARG_OUT("out"),
	ARG_UINT(rows),
	ARG_UINT(cols),
	ARG_UINT(x_stride),
};

/* clang-format off */
#define CASE(n, t, d, r, c, xp) \
	.name = (n), .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	.shape = { .rows = (r), .cols = (c), .x_stride = (c) + (xp) }

static const struct op_case smoke = {
	/*    name    type data   rows cols  pad */
	CASE("smoke", F32, NORMAL,   2,  64,  0)
};

static const struct op_case holdouts[] = {
	{ CASE("ragged sizes",            F32,  NORMAL,   3,   67,  0) },
	{ CASE("two columns",             F32,  NORMAL,  37,    2,  0) },
	{ CASE("wide rows",               F32,  NORMAL,  17, 4097,  0) },
	{ CASE("more rows than 16 bits count", F32, NORMAL, 65539, 2, 0) },
	{ CASE("float16, strided",        F16,  NORMAL,   7,  127,  9) },
	{ CASE("bfloat16",                BF16, NORMAL,   5,  129,  0) },
	{ CASE("strided rows",            F32,  NORMAL,  11,   61, 19) },
	{ CASE("tiny magnitudes",         F32,  TINY,     4,  200,  0) },
	{ CASE("all negative",            F32,  NEGATIVE, 6,  100,  0) },
	{ CASE("one outlier a row",       F16,  OUTLIER,  5,   97,  0) },
	{ CASE("special values",          F32,  SPECIAL, 64,   40,  0) },
	{ CASE("empty",                   F32,  NORMAL,   0,   64,  0) },
	{ CASE("undisclosed width",       F32,  NORMAL,   6,  100,  4), VARY(cols, 65, 700) },
	/* The last one is not for mean_last: there a mean is the answer. */
	{ CASE("one row",                 F32,  NORMAL,   1, 1023,  0) },
};
static const struct op_case exact[] = {
	{ CASE("whole numbers",            F32, INTEGER, 5,   67,  3) },
	{ CASE("whole numbers, wide rows", F32, INTEGER, 3, 4097,  0) },
};

/* A mean is exact where the division is; a running mean, m += (x - m) / k,
 * which is float32 as well, where all the row is one number. */
static const struct op_case mean_exact[] = {
	{ CASE("whole numbers",            F32, INTEGER_ROWS, 5,  128,  3) },
	{ CASE("whole numbers, wide rows", F32, INTEGER_ROWS, 3, 4096,  0) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	return arg == 0 ? op_matrix(s->rows, s->cols, s->x_stride)
	                : op_matrix(s->rows, 1, 1);
}

struct row_sums {
	double sum, abs_sum, max;
};

static struct row_sums
reduce_row(const float *x, uint32_t n)
{
	struct row_sums s = { 0, 0, -HUGE_VAL };

	for (uint32_t c = 0; c < n; c++) {
		double v = (double)x[c];

		s.sum += v;
		s.abs_sum += fabs(v);
		if (isnan(v) || v > s.max)
			s.max = v;
	}
	return s;
}

static void
sum_reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t n = in->shape.cols;

	for (size_t r = 0; r < in->out.rows; r++) {
		struct row_sums s = reduce_row(in->in[0] + r * n, n);

		y[r] = s.sum;
		bound[r] = ROUND_U * n * s.abs_sum + n * FLUSH;
		if (sum_is_exact(s.abs_sum, sum_grain(in->in[0] + r * n, n, 1)))
			bound[r] = n * FLUSH;
	}
}

static void
mean_reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t n = in->shape.cols;

	for (size_t r = 0; r < in->out.rows; r++) {
		struct row_sums s = reduce_row(in->in[0] + r * n, n);

		y[r] = s.sum / n;
		bound[r] = ROUND_U * (s.abs_sum + 6 * fabs(y[r])) + 2 * FLUSH;
	}
}

static void
max_reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t n = in->shape.cols;

	for (size_t r = 0; r < in->out.rows; r++) {
		y[r] = reduce_row(in->in[0] + r * n, n).max;
		bound[r] = 0.0;
	}
}

static void
sum_rounded(const struct op_instance *in, enum op_order o, float *y)
{
	uint32_t n = in->shape.cols;
	float *row = xcalloc(n, sizeof *row);

	for (size_t r = 0; r < in->out.rows; r++) {
		memcpy(row, in->in[0] + r * n, n * sizeof *row);
		y[r] = rounded_sum(o, row, n);
	}
	free(row);
}

/* m += (x - m) / k, which rounds what no sum does. */
static void
running_means(const struct op_instance *in, float *y)
{
	uint32_t n = in->shape.cols;

	for (size_t r = 0; r < in->out.rows; r++) {
		const float *x = in->in[0] + r * n;

		y[r] = 0.0f;
		for (uint32_t c = 0; c < n; c++)
			y[r] += (x[c] - y[r]) / (float)(c + 1);
	}
}

/* From behind it is as good as from the front; a running mean is another way. */
static void
mean_rounded(const struct op_instance *in, enum op_order o, float *y)
{
	if (o == OP_ORDER_BACKWARDS) {
		running_means(in, y);
		return;
	}
	sum_rounded(in, o, y);
	for (size_t r = 0; r < in->out.rows; r++)
		y[r] /= (float)in->shape.cols;
}

static const struct op_sums sum_sums = { op_cols, sum_rounded };
static const struct op_sums mean_sums = { op_cols, mean_rounded };

static void
sum_outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	uint32_t n = in->shape.cols;

	(void)other;
	for (size_t r = 0; r < in->out.rows; r++) {
		const float *x = in->in[0] + r * n;
		double positive = 0.0, negative = 0.0;

		for (uint32_t c = 0; c < n; c++) {
			if (x[c] < 0.0f)
				negative -= (double)x[c];
			else /* or NaN */
				positive += (double)x[c];
		}
		may[r] = op_sum_outcomes(positive, negative);
	}
}

/* Short rows may be all negative as well. */
static enum cause_foresight
starts_at_0(const struct cause_case *c)
{
	if (!cause_is_value(c))
		return CAUSE_SPARES;
	if (c->in->c->data == OP_DATA_NEGATIVE)
		return CAUSE_FAILS;
	return c->in->c->data == OP_DATA_NORMAL && cause_length(c->in) <= 4
	    ? CAUSE_MAY_FAIL
	    : CAUSE_SPARES;
}

static const struct op_cause mean_causes[] = {
	CAUSE_FIXED_COUNT,
};

static const struct op_cause max_causes[] = {
	{ .text = "the maximum starts at 0 instead of -infinity?",
	    .foresees = starts_at_0 },
};

/* Rounding to nearest is the same on both sides of zero. */
static const struct op_relation linear_relations[] = {
	{ .name = "twice the row gives twice the answer",
	    .scale = { 2.0f },
	    .scale_out = 2.0f },
	{ .name = "the row negated gives the answer negated",
	    .change = relation_negate,
	    .scale_out = -1.0f },
	RELATIONS_OF_ROWS,
};

static const struct op_relation max_relations[] = {
	{ .name = "twice the row gives twice the answer",
	    .scale = { 2.0f },
	    .scale_out = 2.0f },
	{ .name = "the order of columns says nothing",
	    .change = relation_reverse_columns },
	RELATIONS_OF_ROWS,
};

/* What all of them say alike. */
#define REDUCTION                                                              \
	.category = "reduction", .args = args, .nargs = COUNT(args),           \
	.smoke = &smoke, .holdouts = holdouts, .extent = extent,               \
	.bench = &op_bench_reduce

const struct op op_sum_last = {
	REDUCTION,
	.name = "sum_last",
	.formula = "out[r] = sum of row r",
	.notes = "out has rows elements, contiguous.",
	.nholdouts = COUNT(holdouts),
	.reference = sum_reference,
	.sums = &sum_sums,
	.outcomes = sum_outcomes,
	OP_ROWS(exact, exact),
	OP_ROWS(relations, linear_relations),
};

const struct op op_mean_last = {
	REDUCTION,
	.name = "mean_last",
	.formula = "out[r] = mean of row r",
	.notes = "out has rows elements, contiguous.",
	.nholdouts = COUNT(holdouts) - 1,
	.reference = mean_reference,
	.sums = &mean_sums,
	.outcomes = sum_outcomes,
	OP_ROWS(causes, mean_causes),
	OP_ROWS(exact, mean_exact),
	OP_ROWS(relations, linear_relations),
};

const struct op op_max_last = {
	REDUCTION,
	.name = "max_last",
	.formula = "out[r] = maximum of row r",
	.notes = "out has rows elements, contiguous; NaN if the row holds one.",
	.nholdouts = COUNT(holdouts),
	.reference = max_reference,
	OP_ROWS(causes, max_causes),
	OP_ROWS(exact, exact),
	OP_ROWS(relations, max_relations),
};
