/*
 * rope: rotary position embedding, split-half layout.
 *
 *	angle = positions[s] * base^(-2d/dim),  d < dim/2
 *	out[d]         = x[d] cos(angle) - x[d + dim/2] sin(angle)
 *	out[d + dim/2] = x[d] sin(angle) + x[d + dim/2] cos(angle)
 *
 * Error bound.  In units of u:
 *
 *	values	sin and cos within 4 ulp (8), a product (1), the sum (1):
 *		10 (|x1 cos| + |x2 sin|)
 *	angle	f = base^-e with e = 2d/dim.  By pow: 16 ulp (32), and what
 *		the division by dim (2.5 ulp, 5) and the product before it (1)
 *		put into e moves f by that times |ln f|.  By exp2(-e log2 base):
 *		3 ulp (6) for exp2, and log2 (6), division (5) and product (2)
 *		times |ln f|.  The larger of both is 32 + 13 |ln f|; the product
 *		with the position adds 1, the division by base^e, as others
 *		write it, 5.  At d = 0 f is exactly 1 either way.
 *		An angle off by da moves the output by at most
 *		|da| (|x1| + |x2|), second order included for |da| < 1.
 *
 *	flushed	two values and two products: 4 times 2^-126
 *
 * An infinite x times a sine or cosine that the error of the angle carries
 * over zero may come out with either sign.  The largest x times one that its
 * error carries over 1 is no longer a number of float32.
 *
 * An error in the angle grows with the position, whatever a kernel does: that
 * is the conditioning of the operator in float32, not slack.
 */
#include "ops/args.h"
#include "ops/metamorphic_relations.h"
#include "ops/suspect_cause.h"

#include <float.h>
#include <math.h>

static const struct op_arg args[] = {
	ARG_IN("x"),
	ARG_POSITIONS("positions"),
	ARG_OUT("out"),
	ARG_UINT(batch),
	ARG_UINT(seq),
	ARG_UINT(dim),
	ARG_REAL(base),
};

/* clang-format off */
#define CASE(n, t, d, b, s, w, ba, pm) \
	.name = (n), .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	.shape = { .batch = (b), .seq = (s), .dim = (w), .base = (ba) }, \
	.position_max = (pm)

static const struct op_case smoke = {
	/*    name     type data    batch seq dim   base      positions */
	CASE("smoke",  F32, NORMAL,     1,  1,  64, 1e4f,     0)
};

static const struct op_case holdouts[] = {
	{ CASE("short rows at small positions",  F32,  NORMAL,  1,   7,   8, 1e4f,     9) },
	{ CASE("typical heads",                  F32,  NORMAL,  3,  16,  64, 1e4f,    63) },
	{ CASE("float16",                        F16,  NORMAL,  2,  17,  64, 1e4f,   100) },
	{ CASE("bfloat16",                       BF16, NORMAL,  2,  13,  80, 1e4f,   100) },
	{ CASE("narrowest rows",                 F32,  NORMAL,  5,   3,   2, 1e4f,    50) },
	{ CASE("more pairs than 16 bits count",  F32,  NORMAL,  1,   1, 131090, 1e4f, 60) },
	{ CASE("more positions than 16 bits count", F32, NORMAL, 1, 65543, 2, 1e4f, 4095) },
	{ CASE("large positions, unsorted",      F32,  NORMAL,  2,  19,  64, 1e4f, 32767) },
	{ CASE("base 500000",                    F32,  NORMAL,  2,   9, 128, 5e5f,  8191) },
	{ CASE("more batches than 16 bits count", F32, NORMAL, 65551, 1,  2, 1e4f,    77) },
	{ CASE("magnitudes over a wide range",   F32,  WIDE,    2,  11,  62, 1e4f,   150) },
	{ CASE("special values",                 F32,  SPECIAL, 2,   8,  32, 1e4f,    40) },
	{ CASE("empty batch",                    F32,  NORMAL,  0,   4,  64, 1e4f,    10) },
	{ CASE("undisclosed width",              F32,  NORMAL,  2,   7,  96, 1e4f,   300), VARY(dim, 34, 512) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	return arg == 1 ? op_vector(s->seq)
	                : op_matrix(s->batch * s->seq, s->dim, s->dim);
}

static void
reference(const struct op_instance *in, double *y, double *bound)
{
	uint32_t dim = in->shape.dim, half = dim / 2;
	double base = (double)in->shape.base;

	for (uint32_t r = 0; r < in->out.rows; r++) {
		double pos = in->positions[r % in->shape.seq];
		size_t row = (size_t)r * dim;

		for (uint32_t d = 0; d < half; d++) {
			size_t lo = row + d, hi = lo + half;
			double e = 2.0 * d / dim, angle = pos * pow(base, -e);
			double c = cos(angle), s = sin(angle);
			double x1 = (double)in->in[0][lo];
			double x2 = (double)in->in[0][hi];
			double k = d == 0 ? 1 : 37 + 13 * e * fabs(log(base));
			double a = k * fabs(angle) * (fabs(x1) + fabs(x2));

			y[lo] = x1 * c - x2 * s;
			y[hi] = x1 * s + x2 * c;
			bound[lo] = 4 * FLUSH +
			    ROUND_U * (10 * (fabs(x1 * c) + fabs(x2 * s)) + a);
			bound[hi] = 4 * FLUSH +
			    ROUND_U * (10 * (fabs(x1 * s) + fabs(x2 * c)) + a);
		}
	}
}

/* Whether a product of x with a sine or cosine, each within its error, may be
 * more than float32 holds, whatever is added to it then. */
static bool
may_overflow(double x, double turn, double error)
{
	double most = fmin(fabs(turn) + error, 1) * (1 + 10 * ROUND_U);

	return fabs(x) * most > (double)FLT_MAX;
}

static void
outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	const uint8_t any = OP_MAY_BE_NAN | OP_MAY_BE_INF | OP_MAY_BE_NEG_INF;
	uint32_t dim = in->shape.dim, half = dim / 2;
	double base = (double)in->shape.base;

	(void)other;
	for (size_t i = 0; i < (size_t)in->out.rows * half; i++) {
		size_t d = i % half, lo = i / half * dim + d, hi = lo + half;
		double x1 = (double)in->in[0][lo], x2 = (double)in->in[0][hi];
		double e = 2.0 * (double)d / dim, angle, error, c, s;

		angle = in->positions[i / half % in->shape.seq] * pow(base, -e);
		error = ROUND_U * fabs(angle) *
		    (d == 0 ? 1 : 37 + 13 * e * fabs(log(base)));
		c = cos(angle);
		s = sin(angle);
		if (isinf(x1) || isinf(x2)) {
			if (angle != 0.0 &&
			    (fabs(c) <= error + ROUND_U ||
			        fabs(s) <= error + ROUND_U))
				may[lo] = may[hi] = any;
			continue;
		}
		if (angle != 0.0 &&
		    (may_overflow(x1, c, error) || may_overflow(x2, s, error)))
			may[lo] = any;
		if (angle != 0.0 &&
		    (may_overflow(x1, s, error) || may_overflow(x2, c, error)))
			may[hi] = any;
	}
}

static bool
turns_several_pairs(const struct cause_case *c)
{
	return c->in->c->position_max > 0 && c->in->shape.dim > 2 &&
	    cause_is_value(c);
}

/* Values of another scale come in where magnitudes differ. */
static enum cause_foresight
mixes_pairs(const struct cause_case *c)
{
	if (c->in->c->data == OP_DATA_WIDE && c->sign == CAUSE_OFF)
		return CAUSE_SPARES;
	return turns_several_pairs(c) ? CAUSE_FAILS : CAUSE_SPARES;
}

/* A pair turned by a wrong angle keeps its size. */
static enum cause_foresight
turns_wrongly(const struct cause_case *c)
{
	return turns_several_pairs(c) && c->sign != CAUSE_FAR ? CAUSE_FAILS
	                                                      : CAUSE_SPARES;
}

static enum cause_foresight
base_is_fixed(const struct cause_case *c)
{
	return c->in->shape.base != c->in->op->smoke->shape.base &&
	        cause_is_value(c)
	    ? CAUSE_FAILS
	    : CAUSE_SPARES;
}

static const struct op_cause causes[] = {
	{ .text = "base hard-coded?", .foresees = base_is_fixed },
	{ .text = "pairs (2d, 2d+1) instead of (d, d + dim/2)?",
	    .foresees = mixes_pairs },
	{ .text = "the angle is not positions[s] * base^(-2d/dim)?",
	    .foresees = turns_wrongly },
};

static void
stand_still(struct op_instance *in)
{
	for (uint32_t s = 0; s < in->shape.seq; s++)
		in->positions[s] = 0;
}

static double
check_identity(const struct relation_pair *p)
{
	size_t n = (size_t)p->base->out.rows * p->base->out.cols;

	for (size_t i = 0; i < n; i++)
		if (p->got_changed[i] != p->base->in[0][i])
			return HUGE_VAL;
	return 0.0;
}

/* sin and cos are off by 8 u each, of whatever angle. */
static double
check_norms(const struct relation_pair *p)
{
	uint32_t dim = p->base->shape.dim, half = dim / 2;
	double most = 0.0;

	for (size_t i = 0; i < (size_t)p->base->out.rows * half; i++) {
		size_t lo = i / half * dim + i % half, hi = lo + half;
		double x1 = (double)p->base->in[0][lo];
		double x2 = (double)p->base->in[0][hi];
		double y1 = (double)p->got_base[lo];
		double y2 = (double)p->got_base[hi];
		double norm = x1 * x1 + x2 * x2;

		most = fmax(most,
		    relation_distance(y1 * y1 + y2 * y2, norm,
		        ROUND_U * 64 * norm + 0x1p-120));
	}
	return most;
}

static void
walk_on(struct op_instance *in)
{
	for (uint32_t s = 0; s < in->shape.seq; s++)
		in->positions[s] += 7;
}

/* The product of one pair of two neighbours, as complex numbers; its real
 * part knows the difference of their angles only. */
static double
product(const float *v, size_t row, const struct op_shape *s, size_t d)
{
	const float *a = v + row * s->dim + d, *b = a + s->dim;
	uint32_t half = s->dim / 2;

	return (double)a[0] * (double)b[0] + (double)a[half] * (double)b[half];
}

/* Angles up to 67 are off by some 150 u each: 67 * 150 u twice, twice. */
static double
check_products(const struct relation_pair *p)
{
	const struct op_shape *s = &p->base->shape;
	double most = 0.0;

	for (size_t row = 0; row + 1 < p->base->out.rows; row++)
		for (size_t d = 0; d < s->dim / 2; d++) {
			double a = product(p->got_base, row, s, d);
			double b = product(p->got_changed, row, s, d);
			const float *x = p->base->in[0] + row * s->dim + d;
			double size =
			    (fabs((double)x[0]) + fabs((double)x[s->dim / 2])) *
			    (fabs((double)x[s->dim]) +
			        fabs((double)x[s->dim + s->dim / 2]));

			if (row % s->seq + 1 < s->seq)
				most = fmax(most,
				    relation_distance(b, a,
				        0x1p-8 * size + 0x1p-120));
		}
	return most;
}

static const struct op_relation relations[] = {
	{ .name = "at position 0 nothing turns",
	    .change = stand_still,
	    .check = check_identity },
	{ .name = "every pair keeps its norm", .check = check_norms },
	{ .name = "only differences of positions matter",
	    .change = walk_on,
	    .check = check_products },
	{ .name = "x doubled doubles the answer",
	    .scale = { 2.0f },
	    .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

const struct op op_rope = {
	.name = "rope",
	.category = "position",
	.formula = "for d < dim/2: angle = positions[s] * base^(-2d/dim); "
	           "out[d] = x[d] cos(angle) - x[d + dim/2] sin(angle); "
	           "out[d + dim/2] = x[d] sin(angle) + x[d + dim/2] cos(angle)",
	.notes = "Split-half layout. x and out are (batch, seq, dim) "
	         "contiguous; positions holds seq ints, any order, up to tens "
	         "of thousands; dim is even.",
	OP_TABLES,
	.reference = reference,
	.outcomes = outcomes,
	OP_ROWS(causes, causes),
	.bench = &op_bench_rope,
	OP_ROWS(relations, relations),
};
