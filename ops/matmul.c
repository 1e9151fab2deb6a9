/*
 * matmul: (m, k) x (k, n) -> (m, n), row-major with row strides.
 *
 * Error bound: k products and k - 1 additions in any order, fused or not, are
 * off by at most k u S, S = sum |a| |b|; flushed products and partial sums add
 * 2 k 2^-126, a flushed factor its product.  Sums of huge products may overflow
 * in one order and not in another: see the outcomes.  A sum that no order
 * rounds is exact: among thousands of terms S would hide one that is lost.
 *
 * The special values go into a only: one NaN in b would poison its column of
 * every row, and hide that a kernel mixes rows.
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
	ARG_IN("a"),
	ARG_DRAWN("b", OP_DRAW_NORMAL),
	ARG_OUT("out"),
	ARG_UINT(m),
	ARG_UINT(n),
	ARG_UINT(k),
	ARG_UINT(a_stride),
	ARG_UINT(b_stride),
	ARG_UINT(out_stride),
};

/* clang-format off */
#define CASE(na, t, d, m_, n_, k_, ap, bp, op) \
	.name = (na), .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	.shape = { .m = (m_), .n = (n_), .k = (k_), .a_stride = (k_) + (ap), \
	    .b_stride = (n_) + (bp), .out_stride = (n_) + (op) }

static const struct op_case smoke = {
	/*    name    type data      m    n    k  pads */
	CASE("smoke", F32, NORMAL,  16,  16,  16,  0, 0, 0)
};

static const struct op_case holdouts[] = {
	{ CASE("primes",                  F32,  NORMAL,  31,  67,  53,  0, 0, 0) },
	{ CASE("one row",                 F32,  NORMAL,   1,  97,  65,  0, 0, 0) },
	{ CASE("one column",              F32,  NORMAL,  41,   1,  33,  0, 0, 0) },
	{ CASE("outer product",           F32,  NORMAL,  23,  29,   1,  0, 0, 0) },
	{ CASE("long sums",               F32,  NORMAL,  17,  19, 4097, 0, 0, 0) },
	{ CASE("more rows than 16 bits count", F32, NORMAL, 65543, 2, 3, 0, 0, 0) },
	{ CASE("more columns than 16 bits count", F32, NORMAL, 2, 65551, 3, 0, 0, 0) },
	{ CASE("float16, strided",        F16,  NORMAL,  19,  33,  40,  8, 3, 5) },
	{ CASE("bfloat16",                BF16, NORMAL,  18,  20,  70,  0, 0, 0) },
	{ CASE("strided rows",            F32,  NORMAL,  21,  34,  27, 13, 6, 9) },
	{ CASE("rows of different scale", F32,  RAGGED_SCALE, 24, 17, 50, 0, 0, 0) },
	{ CASE("special values",          F32,  SPECIAL, 64,  24,  40,  0, 0, 0) },
	{ CASE("empty",                   F32,  NORMAL,   0,  16,  16,  0, 0, 0) },
	{ CASE("undisclosed depth",       F32,  NORMAL,  12,  15,  80,  3, 0, 1), VARY(k, 33, 300) },
};
static const struct op_case exact[] = {
	{ CASE("whole numbers",            F32, INTEGER,  19,  23,   37, 3, 1, 2) },
	{ CASE("whole numbers, long sums", F32, INTEGER,   3,   5, 4097, 0, 0, 0) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	if (arg == 0)
		return op_matrix(s->m, s->k, s->a_stride);
	if (arg == 1)
		return op_matrix(s->k, s->n, s->b_stride);
	return op_matrix(s->m, s->n, s->out_stride);
}

static bool
has_subnormal(const float *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (op_flushed((double)v[i]) > 0.0)
			return true;
	return false;
}

/* What goes with flushed factors. */
static void
add_flushed(const struct op_instance *in, double *bound)
{
	uint32_t n = in->shape.n, k = in->shape.k;

	for (size_t i = 0; i < (size_t)in->shape.m * k; i++) {
		double a = (double)in->in[0][i];
		const float *b = in->in[1] + i % k * n;

		for (size_t j = 0; j < n; j++) {
			double lost = fabs(a * (double)b[j]);

			if (isfinite(lost) &&
			    op_flushed(a) + op_flushed((double)b[j]) > 0.0)
				bound[i / k * n + j] += lost;
		}
	}
}

/* Where nothing rounds, as with whole numbers, nothing is off. */
static void
find_exact(const struct op_instance *in, double *sizes)
{
	uint32_t m = in->shape.m, n = in->shape.n, k = in->shape.k;
	int *columns = xcalloc((size_t)n + 1, sizeof *columns);

	for (size_t j = 0; j < n; j++)
		columns[j] = sum_grain(in->in[1] + j, k, n);
	for (size_t i = 0; i < m; i++) {
		int row = sum_grain(in->in[0] + i * k, k, 1);

		for (size_t j = 0; j < n; j++)
			if (sum_is_exact(sizes[i * n + j], row + columns[j]))
				sizes[i * n + j] = 0.0;
	}
	free(columns);
}

/* By rows of b, which lie together, into a row of sums. */
static void
reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t n = in->shape.n, k = in->shape.k;

	for (size_t i = 0; i < (size_t)in->shape.m * k; i++) {
		double a = (double)in->in[0][i];
		const float *b = in->in[1] + i % k * n;
		double *sums = y + i / k * n, *sizes = bound + i / k * n;

		for (size_t j = 0; j < n; j++) {
			sums[j] += a * (double)b[j];
			sizes[j] += fabs(a * (double)b[j]);
		}
	}
	find_exact(in, bound);
	for (size_t i = 0; i < (size_t)in->shape.m * n; i++)
		bound[i] = ROUND_U * k * bound[i] + 2 * k * FLUSH;
	if (has_subnormal(in->in[0], (size_t)in->shape.m * k) ||
	    has_subnormal(in->in[1], (size_t)n * k))
		add_flushed(in, bound);
}

static uint32_t
length(const struct op_shape *s)
{
	return s->k;
}

static void
rounded(const struct op_instance *in, enum op_order o, float *y)
{
	uint32_t n = in->shape.n, k = in->shape.k;
	float *terms = xcalloc(k, sizeof *terms);

	for (size_t i = 0; i < (size_t)in->shape.m * n; i++) {
		const float *a = in->in[0] + i / n * k;
		const float *b = in->in[1] + i % n;

		for (size_t p = 0; p < k; p++)
			terms[p] = a[p] * b[p * n];
		y[i] = rounded_sum(o, terms, k);
	}
	free(terms);
}

static const struct op_sums sums = { length, rounded };

struct extremes {
	double most;         /* of the finite ones */
	bool subnormal, inf; /* are there such? */
};

static struct extremes
extremes(const float *v, size_t n, size_t step)
{
	struct extremes e = { 0 };

	for (size_t i = 0; i < n; i++) {
		double x = fabs((double)v[i * step]);

		if (isfinite(x) && x > e.most)
			e.most = x;
		e.inf |= isinf(x) != 0;
		e.subnormal |= op_flushed(x) > 0.0;
	}
	return e;
}

static uint8_t
element_outcomes(const float *a, const float *b, uint32_t k, uint32_t n)
{
	double positive = 0.0, negative = 0.0;
	uint8_t nan = 0;

	for (size_t p = 0; p < k; p++) {
		double x = (double)a[p], y = (double)b[p * n], xy = x * y;

		if (xy < 0.0)
			negative -= xy;
		else /* or NaN */
			positive += xy;
		if (isinf(xy) && (op_flushed(x) > 0.0 || op_flushed(y) > 0.0))
			nan = OP_MAY_BE_NAN;
	}
	return op_sum_outcomes(positive, negative) | nan;
}

static void
outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	uint32_t m = in->shape.m, n = in->shape.n, k = in->shape.k;
	struct extremes *columns = xcalloc(n, sizeof *columns);

	(void)other;
	for (size_t j = 0; j < n; j++)
		columns[j] = extremes(in->in[1] + j, k, n);
	for (size_t r = 0; r < m; r++) {
		const float *a = in->in[0] + r * k;
		struct extremes row = extremes(a, k, 1);

		for (size_t j = 0; j < n; j++) {
			const struct extremes *column = &columns[j];

			if (row.most * column->most * k >= OVERFLOW_NEAR ||
			    (row.subnormal && column->inf) ||
			    (row.inf && column->subnormal))
				may[r * n + j] =
				    element_outcomes(a, in->in[1] + j, k, n);
		}
	}
	free(columns);
}

static enum cause_foresight
mixes_sizes(const struct cause_case *c)
{
	const struct op_shape *s = &c->in->shape;

	return (s->m != s->n || s->n != s->k) && c->sign != CAUSE_SLIGHT
	    ? CAUSE_FAILS
	    : CAUSE_SPARES;
}

static const struct op_cause causes[] = {
	{ .text = "m, n and k mixed up, or a missing bounds check?",
	    .foresees = mixes_sizes },
};

static void
make_identity(struct op_instance *in)
{
	struct op_shape *s = &in->shape;

	s->b_stride += s->k - s->n;
	s->out_stride += s->k - s->n;
	s->n = s->k;
	free(in->in[1]);
	in->in[1] = xcalloc((size_t)s->k * s->k, sizeof(float));
	for (size_t i = 0; i < s->k; i++)
		in->in[1][i * s->k + i] = 1.0f;
}

static double
check_is_a(const struct relation_pair *p)
{
	size_t n = (size_t)p->changed->out.rows * p->changed->out.cols;

	for (size_t i = 0; i < n; i++)
		if (p->got_changed[i] != p->changed->in[0][i])
			return HUGE_VAL;
	return 0.0;
}

static const struct op_relation relations[] = {
	{ .name = "a times the identity is a",
	    .change = make_identity,
	    .check = check_is_a },
	{ .name = "a doubled doubles the answer",
	    .scale = { 2.0f },
	    .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

const struct op op_matmul = {
	.name = "matmul",
	.category = "matrix",
	.formula = "out[i][j] = sum over p of a[i][p] * b[p][j]",
	.notes = "a is (m, k), b is (k, n), out is (m, n); element (i, j) of a "
	         "is a[i * a_stride + j], and so on.",
	OP_TABLES,
	.reference = reference,
	.sums = &sums,
	.outcomes = outcomes,
	OP_ROWS(causes, causes),
	.bench = &op_bench_matmul,
	OP_ROWS(exact, exact),
	OP_ROWS(relations, relations),
};
