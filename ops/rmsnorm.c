/*
 * rmsnorm: x / sqrt(mean(x^2) + eps) * weight, along a row.
 *
 * Error bound.  Write ms = mean(x^2) and q = ms / (ms + eps) <= 1.  All
 * relative, in units of u:
 *
 *	ms	n squares and n - 1 additions of positive terms in any order,
 *		at most n + 1 in all; the division by n 2.5 ulp (5), or a
 *		product with 1/n (6); it enters the root by a factor q/2
 *	+ eps	1, halved by the root
 *	root	sqrt 3 ulp (6) and the division 2.5 ulp (5), more than rsqrt
 *	rest	two products: 2
 *
 * Together |y| u (q (n + 7)/2 + 14), and what is flushed of x, of weight and
 * of the products, 2^-126 times what it is multiplied with then.  Squares of
 * huge values overflow in float32: x / sqrt(infinity) is zero.  A bound in
 * sqrt(n) would be a guess about the order of summation; a plain left-to-right
 * loop is a correct kernel.
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
	ARG_DRAWN("weight", OP_DRAW_WEIGHT),
	ARG_OUT("out"),
	ARG_UINT(rows),
	ARG_UINT(cols),
	ARG_UINT(x_stride),
	ARG_UINT(out_stride),
	ARG_REAL(eps),
};

/* clang-format off */
#define CASE(n, t, d, r, c, xp, op, ep) \
	.name = (n), .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	.shape = { .rows = (r), .cols = (c), .x_stride = (c) + (xp), \
	    .out_stride = (c) + (op), .eps = (ep) }

static const struct op_case smoke = {
	/*    name     type data   rows cols  pads    eps */
	CASE("smoke",  F32, NORMAL,   2,  64,  0, 0,  1e-5f)
};

static const struct op_case holdouts[] = {
	{ CASE("one row",                      F32,  NORMAL,   1, 1023,  0, 0, 1e-5f) },
	{ CASE("one column",                   F32,  NORMAL,   9,    1,  0, 0, 1e-5f) },
	{ CASE("wide rows",                    F32,  NORMAL,  17, 4097,  0, 0, 1e-6f) },
	{ CASE("more rows than 16 bits count", F32,  NORMAL, 65539,   2,  0, 0, 1e-5f) },
	{ CASE("float16, strided",             F16,  NORMAL,   7,  127,  9, 3, 1e-5f) },
	{ CASE("bfloat16",                     BF16, NORMAL,   5,  129,  0, 0, 1e-5f) },
	{ CASE("strided rows",                 F32,  NORMAL,  11,   61, 19, 35, 1e-5f) },
	{ CASE("tiny magnitudes",              F32,  TINY,     4,  255,  0, 0, 1e-5f) },
	{ CASE("large eps",                    F32,  NORMAL,   6,   96,  0, 0, 0.25f) },
	{ CASE("one outlier a row",            F16,  OUTLIER,  5,  257,  0, 0, 1e-5f) },
	{ CASE("rows of different scale",      F32,  RAGGED_SCALE, 13, 100, 0, 0, 1e-6f) },
	{ CASE("special values",               F32,  SPECIAL, 64,   40,  0, 0, 1e-5f) },
	{ CASE("empty",                        F32,  NORMAL,   0,   64,  0, 0, 1e-5f) },
	{ CASE("undisclosed width",            F32,  NORMAL,   6,  100,  4, 0, 1e-5f), VARY(cols, 65, 700) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	if (arg == 1)
		return op_vector(s->cols);
	return op_matrix(s->rows, s->cols,
	    arg == 0 ? s->x_stride : s->out_stride);
}

/* (x r) w, with either product or either factor flushed. */
static double
flushed(const struct op_instance *in, size_t i, uint32_t c, double r)
{
	double x = (double)in->in[0][i], w = (double)in->in[1][c];

	if (!isfinite(x) || !isfinite(w))
		return 0.0;
	return FLUSH * (fabs(w) + r) + op_flushed(x) * r * fabs(w) +
	    op_flushed(w) * r * fabs(x);
}

static void
reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t n = in->out.cols;
	double eps = (double)in->shape.eps;

	for (uint32_t r = 0; r < in->out.rows; r++) {
		size_t row = (size_t)r * n;
		double ms = 0.0, scale, k;

		for (uint32_t c = 0; c < n; c++)
			ms += (double)in->in[0][row + c] *
			    (double)in->in[0][row + c];
		ms /= n;
		scale = 1.0 / sqrt(ms + eps);
		k = (isinf(ms) ? 1.0 : ms / (ms + eps)) * (n + 7) / 2 + 14;
		for (uint32_t c = 0; c < n; c++) {
			y[row + c] = (double)in->in[0][row + c] * scale *
			    (double)in->in[1][c];
			bound[row + c] = ROUND_U * k * fabs(y[row + c]) +
			    flushed(in, row + c, c, scale);
		}
	}
}

static void
rounded(const struct op_instance *in, enum op_order o, float *y)
{
	uint32_t n = in->out.cols;
	float *row = xcalloc(n, sizeof *row);

	for (size_t i = 0; i < (size_t)in->out.rows * n; i += n) {
		const float *x = in->in[0] + i;
		float scale;

		for (uint32_t c = 0; c < n; c++)
			row[c] = x[c] * x[c];
		scale = 1.0f /
		    sqrtf(rounded_sum(o, row, n) / (float)n + in->shape.eps);
		for (uint32_t c = 0; c < n; c++)
			y[i + c] = x[c] * scale * in->in[1][c];
	}
	free(row);
}

static const struct op_sums sums = { op_cols, rounded };

static void
outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	uint32_t n = in->out.cols;

	(void)other;
	for (size_t i = 0; i < (size_t)in->out.rows * n; i += n) {
		const float *x = in->in[0] + i;
		double squares = 0.0, scale;

		for (uint32_t c = 0; c < n; c++)
			squares += (double)x[c] * (double)x[c];
		scale = 1.0 / sqrt(squares / n + (double)in->shape.eps);
		for (uint32_t c = 0; c < n; c++) {
			double xw = fabs((double)x[c] * (double)in->in[1][c]);

			if (squares >= OVERFLOW_NEAR)
				may[i + c] = OP_MAY_BE_ZERO;
			/* Infinity times what is flushed, or becomes it. */
			if ((squares >= OVERFLOW_NEAR ||
			        op_flushed((double)x[c]) > 0.0 ||
			        op_flushed((double)x[c] * scale) > 0.0) &&
			    !(xw < OVERFLOW_NEAR))
				may[i + c] |= OP_MAY_BE_NAN;
		}
	}
}

static const struct op_cause causes[] = {
	CAUSE_EPS,
	CAUSE_FIXED_COUNT,
};

static const struct op_relation relations[] = {
	{ .name = "x doubled and eps quadrupled change nothing",
	    .scale = { 2.0f },
	    .scale_eps = 4.0f },
	{ .name = "weight doubled doubles the answer",
	    .scale = { 0.0f, 2.0f },
	    .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

const struct op op_rmsnorm = {
	.name = "rmsnorm",
	.category = "normalisation",
	.formula = "out = x / sqrt(mean(x^2) + eps) * weight, along a row",
	.notes = "weight has cols elements.",
	OP_TABLES,
	.reference = reference,
	.sums = &sums,
	.outcomes = outcomes,
	OP_ROWS(causes, causes),
	.bench = &op_bench_rmsnorm,
	OP_ROWS(relations, relations),
};
