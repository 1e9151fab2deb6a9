/*
 * softmax along a row: exp(x - m) / sum exp(x - m), m the row's maximum.
 *
 * Error bound.  Relative, in units of u, with t = m - x >= 0:
 *
 *	numerator	exp 3 ulp (6); its argument is off by 1 |t| from the
 *			subtraction, and by 3 |t| more where a kernel takes
 *			exp2(t log2 e): 6 + 4 t
 *	denominator	n for a sum of positive terms in any order, and the
 *			mean of the numerators' errors, weighted by y: 6 + 4 T,
 *			T = sum y t
 *	division	2.5 ulp: 5
 *
 * Together |y| u (n + 17 + 4 (t + T)).  An online kernel rescales its sum once
 * per new maximum; that costs a few units of each part of the sum, which the
 * n, that no real order of summation comes near, has room for.  Terms below
 * 2^-126 may be flushed: the judge's tiny.
 *
 * No case has one column or constant rows: there 1/n is right.
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
	ARG_UINT(out_stride),
};

/* clang-format off */
#define CASE(n, t, d, r, c, xp, op) \
	.name = (n), .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	.shape = { .rows = (r), .cols = (c), .x_stride = (c) + (xp), \
	    .out_stride = (c) + (op) }

static const struct op_case smoke = {
	/*    name    type data   rows cols  pads */
	CASE("smoke", F32, NORMAL,   2,  64,  0, 0)
};

static const struct op_case holdouts[] = {
	{ CASE("ragged sizes",            F32,  NORMAL,   3,   67,  0,  0) },
	{ CASE("one row",                 F32,  NORMAL,   1, 1023,  0,  0) },
	{ CASE("two columns",             F32,  NORMAL,  37,    2,  0,  0) },
	{ CASE("wide rows",               F32,  NORMAL,  17, 4097,  0,  0) },
	{ CASE("more rows than 16 bits count", F32, NORMAL, 65539, 2, 0, 0) },
	{ CASE("float16, strided",        F16,  NORMAL,   7,  127,  9,  3) },
	{ CASE("bfloat16",                BF16, NORMAL,   5,  129,  0,  0) },
	{ CASE("strided rows",            F32,  NORMAL,  11,   61, 19, 35) },
	{ CASE("wide exponents",          F32,  WIDE,    17, 4097,  0,  0) },
	{ CASE("offset data",             F32,  OFFSET,   4,  200,  0,  0) },
	{ CASE("all negative",            F32,  NEGATIVE, 6,  100,  0,  0) },
	{ CASE("special values",          F32,  SPECIAL, 64,   40,  0,  0) },
	{ CASE("empty",                   F32,  NORMAL,   0,   64,  0,  0) },
	{ CASE("undisclosed width",       F32,  NORMAL,   6,  100,  4,  2), VARY(cols, 65, 700) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	return op_matrix(s->rows, s->cols,
	    arg == 0 ? s->x_stride : s->out_stride);
}

static void
softmax_row(const float *x, uint32_t n, double *y, double *bound)
{
	double m = -HUGE_VAL, sum = 0.0, weighted = 0.0;

	for (uint32_t c = 0; c < n; c++)
		if ((double)x[c] > m)
			m = (double)x[c];
	for (uint32_t c = 0; c < n; c++) {
		y[c] = exp((double)x[c] - m);
		sum += y[c];
	}
	for (uint32_t c = 0; c < n; c++) {
		y[c] /= sum;
		if (y[c] > 0)
			weighted += y[c] * (m - (double)x[c]);
	}
	for (uint32_t c = 0; c < n; c++) {
		double t = y[c] > 0 ? m - (double)x[c] : 0.0;

		bound[c] = ROUND_U * fabs(y[c]) * (n + 17 + 4 * (t + weighted));
	}
}

static void
reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t n = in->out.cols;

	for (size_t r = 0; r < in->out.rows; r++)
		softmax_row(in->in[0] + r * n, n, y + r * n, bound + r * n);
}

static void
rounded(const struct op_instance *in, enum op_order o, float *y)
{
	uint32_t n = in->out.cols;
	float *row = xcalloc(n, sizeof *row);

	for (size_t i = 0; i < (size_t)in->out.rows * n; i += n) {
		const float *x = in->in[0] + i;
		float m = -INFINITY, sum;

		for (uint32_t c = 0; c < n; c++)
			m = x[c] > m ? x[c] : m;
		for (uint32_t c = 0; c < n; c++)
			y[i + c] = row[c] = rounded_exp(o, x[c] - m);
		sum = rounded_sum(o, row, n);
		for (uint32_t c = 0; c < n; c++)
			y[i + c] /= sum;
	}
	free(row);
}

static const struct op_sums sums = { op_cols, rounded };

static enum cause_foresight
shift_is_missing(const struct cause_case *c)
{
	enum op_data data = c->in->c->data;

	if (!cause_is_value(c))
		return CAUSE_SPARES;
	if (data == OP_DATA_OFFSET || data == OP_DATA_NEGATIVE)
		return CAUSE_FAILS;
	return data == OP_DATA_WIDE || data == OP_DATA_SPECIAL ? CAUSE_MAY_FAIL
	                                                       : CAUSE_SPARES;
}

static enum cause_foresight
starts_at_0(const struct cause_case *c)
{
	return c->in->c->data == OP_DATA_NEGATIVE && cause_is_value(c)
	    ? CAUSE_FAILS
	    : CAUSE_SPARES;
}

/* Any shift does for most data: only where exp overflows is it seen. */
static enum cause_foresight
shift_is_partial(const struct cause_case *c)
{
	return c->in->c->data == OP_DATA_WIDE && cause_is_value(c)
	    ? CAUSE_FAILS
	    : CAUSE_SPARES;
}

static const struct op_cause causes[] = {
	{ .text = "the maximum starts at 0 instead of -infinity?",
	    .foresees = starts_at_0 },
	{ .text = "the maximum of only a part of a long row is subtracted?",
	    .foresees = shift_is_partial },
	{ .text = "the row's maximum is not subtracted?",
	    .foresees = shift_is_missing },
};

/* Off by the bound above at most, with x within 16 of the row's maximum. */
static double
check_sums(const struct relation_pair *p)
{
	uint32_t n = p->base->out.cols;
	double most = 0.0;

	for (size_t r = 0; r < p->base->out.rows; r++) {
		double sum = 0.0;

		for (size_t c = 0; c < n; c++)
			sum += (double)p->got_base[r * n + c];
		most = fmax(most,
		    relation_distance(sum, 1.0, ROUND_U * (n + 150)));
	}
	return most;
}

static void
shift(struct op_instance *in)
{
	size_t n = (size_t)in->shape.rows * in->shape.cols;

	for (size_t i = 0; i < n; i++)
		in->in[0][i] += 4.0f;
}

/* Both bounds, and the rounding of x + 4, at most 8 u twice. */
static double
check_same(const struct relation_pair *p)
{
	size_t n = (size_t)p->base->out.rows * p->base->out.cols;
	double most = 0.0;

	for (size_t i = 0; i < n; i++) {
		double y = (double)p->got_base[i];

		most = fmax(most,
		    relation_distance((double)p->got_changed[i], y,
		        ROUND_U * (2.0 * p->base->out.cols + 320) * y +
		            0x1p-125));
	}
	return most;
}

static const struct op_relation relations[] = {
	{ .name = "every row sums to 1", .check = check_sums },
	{ .name = "a constant added to a row changes nothing",
	    .change = shift,
	    .check = check_same },
	RELATIONS_OF_ROWS,
};

const struct op op_softmax = {
	.name = "softmax",
	.category = "normalisation",
	.formula = "out = exp(x - max(x)) / sum(exp(x - max(x))), along a row",
	.notes = "Numerically stable: subtract the row's maximum first.",
	OP_TABLES,
	.reference = reference,
	.sums = &sums,
	OP_ROWS(causes, causes),
	.bench = &op_bench_softmax,
	OP_ROWS(relations, relations),
};
