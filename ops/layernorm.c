/*
 * layernorm: (x - mu) / sqrt(var + eps) * weight + bias, along a row; var is
 * the population variance, mean((x - mu)^2).
 *
 * Error bound.  With d = x - mu, r = 1 / sqrt(var + eps), q = var r^2 <= 1:
 *
 *	mu	d_mu = u (n + 6 (1 + H)) mean|x|, H = 1 + ln n: n for the sum
 *		in any order, 6 for the division or the product with 1/n.  A
 *		running mean, mu += (x - mu) / k, rounds at most n times and
 *		divides n times; its divisions are off by 6 u |x - mu| / k,
 *		together 6 u mean|x| (1 + H), where H sums the 1 / k
 *	d	off by d_mu + u |d|; kernels that write x r - mu r instead lose
 *		up to 2 u |mu| to cancellation
 *	var	n + 2 for squares and sum, 2 for the d in it, 6 for the
 *		division; an error in mu adds only d_mu^2, as the d sum to
 *		zero; but a running mean's errors differ from term to term:
 *		2 d_mu mean|d|
 *	r	half of that by q, d_mu (d_mu / 2 + mean|d|) r^2, half for
 *		+ eps, sqrt 3 ulp
 *		(6) and the division 2.5 ulp (5)
 *	rest	two products on the way, and the last sum: u |y|
 *
 *	B = |w| r (d_mu + u |d| + 2 u |mu|)
 *	  + |w d| r (u (q (n + 10)/2 + 14) + d_mu (d_mu / 2 + mean|d|) r^2)
 *	  + u |y|
 *
 * Flushing adds 2^-126 for each of x, mu, d, for each step of a
 * running mean, and for the products, times what
 * it is multiplied with then.  Where the sum of huge values overflows NaN is
 * right as well, where their squares do the root is infinite and the bias is;
 * where the product with the weight does, infinity is.
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
	ARG_DRAWN("bias", OP_DRAW_BIAS),
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
	/*    name    type data   rows cols  pads   eps */
	CASE("smoke", F32, NORMAL,   2,  64,  0, 0, 1e-5f)
};

static const struct op_case holdouts[] = {
	{ CASE("one row",                 F32,  NORMAL,   1, 1023,  0, 0, 1e-5f) },
	{ CASE("narrow rows",             F32,  NORMAL,  37,    3,  0, 0, 1e-5f) },
	{ CASE("wide rows",               F32,  NORMAL,  17, 4097,  0, 0, 1e-6f) },
	{ CASE("more rows than 16 bits count", F32, NORMAL, 65539, 2, 0, 0, 1e-5f) },
	{ CASE("float16, strided",        F16,  NORMAL,   7,  127,  9, 3, 1e-5f) },
	{ CASE("bfloat16",                BF16, NORMAL,   5,  129,  0, 0, 1e-5f) },
	{ CASE("strided rows",            F32,  NORMAL,  11,   61, 19, 35, 1e-5f) },
	{ CASE("tiny magnitudes",         F32,  TINY,     4,  255,  0, 0, 1e-5f) },
	{ CASE("large eps",               F32,  NORMAL,   6,   96,  0, 0, 0.25f) },
	{ CASE("offset data",             F32,  OFFSET,   4,  200,  0, 0, 1e-5f) },
	{ CASE("constant rows",           F32,  CONSTANT, 3,   50,  0, 0, 1e-5f) },
	{ CASE("special values",          F32,  SPECIAL, 64,   40,  0, 0, 1e-5f) },
	{ CASE("empty",                   F32,  NORMAL,   0,   64,  0, 0, 1e-5f) },
	{ CASE("undisclosed width",       F32,  NORMAL,   6,  100,  4, 2, 1e-5f), VARY(cols, 65, 700) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	if (arg == 1 || arg == 2)
		return op_vector(s->cols);
	return op_matrix(s->rows, s->cols,
	    arg == 0 ? s->x_stride : s->out_stride);
}

struct moments {
	double mu, abs_mean, var, abs_dev;
};

static struct moments
moments(const float *x, uint32_t n)
{
	struct moments m = { 0, 0, 0, 0 };

	for (uint32_t c = 0; c < n; c++) {
		m.mu += (double)x[c] / n;
		m.abs_mean += fabs((double)x[c]) / n;
	}
	for (uint32_t c = 0; c < n; c++) {
		double d = (double)x[c] - m.mu;

		m.var += d * d / n;
		m.abs_dev += fabs(d) / n;
	}
	return m;
}

/* In any order, or as a running mean: see above. */
static double
mean_error(uint32_t n, double abs_mean)
{
	return ROUND_U * (n + 6 * (2 + log((double)n))) * abs_mean;
}

static void
reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t n = in->out.cols;

	for (size_t r = 0; r < in->out.rows; r++) {
		struct moments m = moments(in->in[0] + r * n, n);
		double scale = 1.0 / sqrt(m.var + (double)in->shape.eps);
		double q = m.var * scale * scale;
		double dmu = mean_error(n, m.abs_mean);
		double k = ROUND_U * (q * (n + 10) / 2 + 14) +
		    dmu * (dmu / 2 + m.abs_dev) * scale * scale;

		for (uint32_t c = 0; c < n; c++) {
			size_t i = r * n + c;
			double d = (double)in->in[0][i] - m.mu;
			double w = (double)in->in[1][c] * scale;

			y[i] = d * w + (double)in->in[2][c];
			bound[i] = fabs(w) *
			        (dmu + ROUND_U * (fabs(d) + 2 * fabs(m.mu))) +
			    fabs(w * d) * k + ROUND_U * fabs(y[i]) +
			    FLUSH *
			        ((n + 3) * fabs(w) +
			            fabs((double)in->in[1][c]) +
			            fabs(d) * scale + scale + 2);
		}
	}
}

/* As a running mean, which errs more than a sum, in one of the orders. */
static float
running_mean(const float *x, uint32_t n, float *ret_var)
{
	float mean = 0.0f, m2 = 0.0f;

	for (uint32_t c = 0; c < n; c++) {
		float d = x[c] - mean;

		mean += d / (float)(c + 1);
		m2 += d * (x[c] - mean);
	}
	*ret_var = m2 / (float)n;
	return mean;
}

static void
rounded(const struct op_instance *in, enum op_order o, float *y)
{
	uint32_t n = in->out.cols;
	float *row = xcalloc(n, sizeof *row);

	for (size_t i = 0; i < (size_t)in->out.rows * n; i += n) {
		const float *x = in->in[0] + i;
		float mean, var, scale;

		memcpy(row, x, n * sizeof *row);
		mean = rounded_sum(o, row, n) / (float)n;
		for (uint32_t c = 0; c < n; c++)
			row[c] = (x[c] - mean) * (x[c] - mean);
		var = rounded_sum(o, row, n) / (float)n;
		if (o == OP_ORDER_BACKWARDS)
			mean = running_mean(x, n, &var);
		scale = 1.0f / sqrtf(var + in->shape.eps);
		for (uint32_t c = 0; c < n; c++)
			y[i + c] =
			    (x[c] - mean) * scale * in->in[1][c] + in->in[2][c];
	}
	free(row);
}

static const struct op_sums sums = { op_cols, rounded };

/* What a row of n values overflows in, on the way. */
struct overflows {
	double mu, dmu, scale;
	bool sum, squares;
};

static struct overflows
overflows(const float *x, uint32_t n, double eps)
{
	struct moments m = moments(x, n);
	double least = HUGE_VAL, most = -HUGE_VAL;

	for (uint32_t c = 0; c < n; c++) {
		least = fmin(least, (double)x[c]);
		most = fmax(most, (double)x[c]);
	}
	return (struct overflows){ .mu = m.mu,
		.scale = 1.0 / sqrt(m.var + eps),
		.dmu = mean_error(n, m.abs_mean),
		.sum = m.abs_mean * n >= OVERFLOW_NEAR,
		/* Around the mean, or around any one of them. */
		.squares =
		    (most - least) * (most - least) * n >= OVERFLOW_NEAR };
}

static void
outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	uint32_t n = in->out.cols;

	for (size_t r = 0; r < in->out.rows; r++) {
		const float *x = in->in[0] + r * n;
		struct overflows o = overflows(x, n, (double)in->shape.eps);

		for (uint32_t c = 0; c < n; c++) {
			double w = (double)in->in[1][c];
			double d = fabs((double)x[c] - o.mu);
			uint8_t *m = &may[r * n + c];

			other[r * n + c] = (double)in->in[2][c];
			if (o.sum)
				*m |= OP_MAY_BE_NAN | OP_MAY_BE_OTHER;
			if (o.squares)
				*m |= OP_MAY_BE_OTHER;
			if (o.squares && !(d * fabs(w) < OVERFLOW_NEAR))
				*m |= OP_MAY_BE_NAN;
			/* A product past the range, taken in any order; then
			 * the other infinity, or zero times it. */
			if (!(fmax(fmax(d, o.scale), d * o.scale) * fabs(w) <
			        OVERFLOW_NEAR))
				*m |= OP_MAY_BE_INF | OP_MAY_BE_NEG_INF |
				    (isinf(in->in[2][c]) || d <= o.dmu
				            ? OP_MAY_BE_NAN
				            : 0);
			/* x r - mu r. */
			if (fmax(fabs((double)x[c]), fabs(o.mu)) * o.scale >=
			    OVERFLOW_NEAR)
				*m |= OP_MAY_BE_NAN | OP_MAY_BE_INF |
				    OP_MAY_BE_NEG_INF;
			/* Infinity times what rounds to zero, or past it. */
			if (isinf(w) &&
			    (d * o.scale <= FLUSH ||
			        d <= o.dmu + ROUND_U * fabs(o.mu) +
			                (n + 3) * FLUSH))
				*m |= OP_MAY_BE_NAN | OP_MAY_BE_INF |
				    OP_MAY_BE_NEG_INF;
		}
	}
}

/* E[x^2] - E[x]^2: most of its digits go where the mean is large. */
static enum cause_foresight
cancels(const struct cause_case *c)
{
	if (!cause_is_value(c))
		return CAUSE_SPARES;
	return c->in->c->data == OP_DATA_OFFSET ? CAUSE_FAILS : CAUSE_MAY_FAIL;
}

/* Another divisor than the number of columns, or the mean not subtracted: the
 * shorter the row the worse. */
static enum cause_foresight
is_no_population(const struct cause_case *c)
{
	enum op_data data = c->in->c->data;
	uint32_t n = cause_length(c->in);

	if (!cause_is_value(c) || (n < 8 && c->sign == CAUSE_SLIGHT))
		return CAUSE_SPARES;
	return cause_is_float32(c) && n < 300 && data != OP_DATA_OFFSET &&
	        data != OP_DATA_CONSTANT
	    ? CAUSE_FAILS
	    : CAUSE_MAY_FAIL;
}

/* The same in the part of a row that is computed in vectors. */
static enum cause_foresight
is_no_population_in_vectors(const struct cause_case *c)
{
	if (!cause_is_value(c) || c->in->c->data == OP_DATA_CONSTANT)
		return CAUSE_SPARES;
	if (cause_length(c->in) < 8)
		return c->sign == CAUSE_SLIGHT ? CAUSE_SPARES : CAUSE_MAY_FAIL;
	return CAUSE_FAILS;
}

#define VARIANCE "the variance is not the mean of (x - mean)^2?"

static const struct op_cause causes[] = {
	CAUSE_EPS,
	CAUSE_FIXED_COUNT,
	{ .text = VARIANCE, .foresees = cancels },
	{ .text = VARIANCE, .foresees = is_no_population },
	{ .text = VARIANCE, .foresees = is_no_population_in_vectors },
};

static const struct op_relation relations[] = {
	{ .name = "x doubled and eps quadrupled change nothing",
	    .scale = { 2.0f },
	    .scale_eps = 4.0f },
	{ .name = "weight and bias doubled double the answer",
	    .scale = { 0.0f, 2.0f, 2.0f },
	    .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

const struct op op_layernorm = {
	.name = "layernorm",
	.category = "normalisation",
	.formula = "out = (x - mean) / sqrt(var + eps) * weight + bias, along "
	           "a row",
	.notes = "Population variance; weight and bias have cols elements.",
	OP_TABLES,
	.reference = reference,
	.sums = &sums,
	.outcomes = outcomes,
	OP_ROWS(causes, causes),
	.bench = &op_bench_layernorm,
	OP_ROWS(relations, relations),
};
