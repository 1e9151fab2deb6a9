/*
 * The elementwise family: out = f(x).
 *
 * One table of functions in double and of their error bounds; the cases are
 * shared, but for the ones that would be void (for tiny x, tanh(x) is x to the
 * last bit, and a copy must never pass).
 *
 * Error bounds, in units of u, from the OpenCL 1.2 table of accuracies (an ulp
 * is at most 2u relative):
 *
 *	relu, abs	exact
 *	exp, sqrt	3 ulp: 6 |y|
 *	log		the same; log2(x) times ln 2 rounds the constant and
 *			the product too: 8 |y|
 *	tanh		5 ulp: 10 |y|.  By t = expm1(-2 |x|), 3 ulp (6), and
 *			-t / (t + 2): what t is off by enters twice at most, as
 *			2 / (t + 2) <= 2, the sum 1, the division 5: 18 |y|
 *	sigmoid		1 / (1 + exp(-x)): 6 + 1 + 5 = 12; z / (1 + z) with z =
 *			exp(-|x|): 6 + 3 + 1 + 5 = 15; what is flushed below
 *			2^-126 is the judge's tiny
 *	silu		sigmoid and a product: 16 |y|; a flushed sigmoid, or an
 *			exp(-x) that overflows, loses at most 2^-126 |x|, and
 *			never more than y
 *	gelu		the factor 1 + erf cancels for negative x, so the error
 *			of erf, 16 ulp of its own value, is absolute there:
 *			|x|/2 32 |erf|, and the sum 1 |x|/2 |1 + erf|; by
 *			erfc(-x / sqrt 2), 16 ulp of 1 + erf.  The larger.  The
 *			argument x / sqrt 2 is off by 3 (the constant, a
 *			division of 2.5 ulp: 6 in all), which moves erf by
 *			6 |z| 2/sqrt(pi) exp(-z^2).  Two products: 2 |y|.
 */
#include "ops/args.h"
#include "ops/metamorphic_relations.h"
#include "ops/suspect_cause.h"

#include <math.h>

static const struct op_arg args[] = {
	ARG_IN("x"),
	ARG_OUT("out"),
	ARG_UINT(rows),
	ARG_UINT(cols),
	ARG_UINT(x_stride),
	ARG_UINT(out_stride),
};

/* For log and sqrt. */
static const struct op_arg args_abs[] = {
	ARG_DRAWN("x", OP_DRAW_ABS),
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
	{ CASE("ragged sizes",     F32,  NORMAL,   3,   67,  0,  0) },
	{ CASE("one column",       F32,  NORMAL,  37,    1,  0,  0) },
	{ CASE("wide rows",        F32,  NORMAL,  17, 4097,  0,  0) },
	{ CASE("more rows than 16 bits count", F32, NORMAL, 65539, 2, 0, 0) },
	{ CASE("more columns than 16 bits count", F32, NORMAL, 1, 262153, 0, 0) },
	{ CASE("float16, strided", F16,  NORMAL,   7,  127,  9,  3) },
	{ CASE("bfloat16",         BF16, NORMAL,   5,  129,  0,  0) },
	{ CASE("strided rows",     F32,  NORMAL,  11,   61, 19, 35) },
	{ CASE("large magnitudes", F32,  LARGE,    5,  150,  0,  0) },
	{ CASE("magnitudes over a wide range", BF16, WIDE, 4, 130, 0, 0) },
	{ CASE("special values",   F32,  SPECIAL, 64,   40,  0,  0) },
	{ CASE("empty",            F32,  NORMAL,   0,   64,  0,  0) },
	{ CASE("undisclosed width", F32, NORMAL,   6,  100,  4,  2), VARY(cols, 65, 700) },
	/* The last one is not for tanh. */
	{ CASE("tiny magnitudes",  F32,  TINY,     4,  255,  0,  0) },
};

/* Of abs and relu. */
static const struct op_case exact[] = {
	{ CASE("whole numbers",            F32, INTEGER, 5,   67,  3,  1) },
	{ CASE("whole numbers, wide rows", F32, INTEGER, 2, 4097,  0,  0) },
};
/* clang-format on */

static struct op_extent
extent(const struct op_shape *s, size_t arg)
{
	return op_matrix(s->rows, s->cols,
	    arg == 0 ? s->x_stride : s->out_stride);
}

static double
relu(double x)
{
	return x < 0 ? 0.0 : x;
}

static double
sigmoid(double x)
{
	return 1.0 / (1.0 + exp(-x));
}

static double
silu(double x)
{
	return x / (1.0 + exp(-x));
}

static double
gelu(double x)
{
	return x * 0.5 * (1.0 + erf(x * M_SQRT1_2));
}

static double
bound_exact(double x, double y)
{
	(void)x;
	(void)y;
	return 0.0;
}

static double
bound_3ulp(double x, double y)
{
	(void)x;
	return ROUND_U * 6 * fabs(y);
}

static double
bound_log(double x, double y)
{
	(void)x;
	return ROUND_U * 8 * fabs(y);
}

static double
bound_tanh(double x, double y)
{
	(void)x;
	return ROUND_U * 18 * fabs(y);
}

static double
bound_sigmoid(double x, double y)
{
	(void)x;
	return ROUND_U * 15 * fabs(y);
}

static double
bound_silu(double x, double y)
{
	return ROUND_U * 16 * fabs(y) + fmin(FLUSH * fabs(x), fabs(y));
}

static double
bound_gelu(double x, double y)
{
	double z = x * M_SQRT1_2, e = erf(z);
	double slope = fabs(z) * M_2_SQRTPI * exp(-z * z);

	return ROUND_U *
	    (0.5 * fabs(x) *
	            (32 * fmax(fabs(e), 1.0 + e) + 1.0 + e + 6 * slope) +
	        2 * fabs(y));
}

static void
map(const struct op_instance *in, double (*f)(double),
    double (*error)(double x, double y), double *y, double *bound)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	for (size_t i = 0; i < n; i++) {
		y[i] = f((double)in->in[0][i]);
		bound[i] = error((double)in->in[0][i], y[i]);
	}
}

/* The root and the logarithm of a subnormal are no small matter: a device that
 * takes it for a zero gives a zero's. */
static void
subnormal_outcomes(const struct op_instance *in, uint8_t *may,
    enum op_outcome of_zero)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	for (size_t i = 0; i < n; i++)
		if (op_flushed((double)in->in[0][i]) > 0.0)
			may[i] = (uint8_t)of_zero;
}

static void
log_outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	(void)other;
	subnormal_outcomes(in, may, OP_MAY_BE_NEG_INF);
}

static void
sqrt_outcomes(const struct op_instance *in, uint8_t *may, double *other)
{
	(void)other;
	subnormal_outcomes(in, may, OP_MAY_BE_ZERO);
}

/* Off by 5e-4 where |x| is about 2, and not at all near 0. */
static enum cause_foresight
is_tanh_form(const struct cause_case *c)
{
	const struct op_instance *in = c->in;

	if (in->c->data == OP_DATA_TINY ||
	    (c->sign > CAUSE_SLIGHT && c->sign != CAUSE_NOT_FINITE))
		return CAUSE_SPARES;
	return in->c->data != OP_DATA_WIDE && in->shape.cols > 2
	    ? CAUSE_FAILS
	    : CAUSE_MAY_FAIL;
}

static const struct op_cause gelu_causes[] = {
	{ .text = "the tanh approximation instead of erf?",
	    .foresees = is_tanh_form },
};

/*
 * Relations.  Tolerances are the bounds of both outputs with what the store
 * adds, in units of u: f(x) and f(-x) are each off by at most their bound.
 */
static double
check_odd(double x, double y, double changed)
{
	(void)x;
	return relation_distance(changed, -y,
	    ROUND_U * 24 * fabs(y) + 0x1p-125);
}

static double
check_sum_is_1(double x, double y, double changed)
{
	(void)x;
	return relation_distance(y + changed, 1.0, ROUND_U * 18);
}

static double
check_product_is_1(double x, double y, double changed)
{
	(void)x;
	return relation_distance(y * changed, 1.0, ROUND_U * 16);
}

static double
check_difference_is_x(double x, double y, double changed)
{
	return relation_distance(y - changed, x,
	    ROUND_U * 48 * fabs(x) + 0x1p-124);
}

static double
check_adds_ln2(double x, double y, double changed)
{
	if (x == 0.0) /* one draw in 200,000 is; both are -infinity */
		return isinf(y) && isinf(changed) && y < 0.0 && changed < 0.0
		    ? 0.0
		    : HUGE_VAL;
	return relation_distance(changed - y, M_LN2,
	    ROUND_U * (8 * (fabs(y) + fabs(changed)) + 2));
}

static double
check_doubles(double x, double y, double changed)
{
	(void)x;
	return relation_distance(changed, 2 * y, ROUND_U * 28 * fabs(y));
}

static const struct op_relation abs_relations[] = {
	{ .name = "|-x| is |x|", .change = relation_negate },
	{ .name = "|2x| is 2|x|", .scale = { 2.0f }, .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

static const struct op_relation relu_relations[] = {
	{ .name = "relu(x) - relu(-x) is x",
	    .change = relation_negate,
	    .each = check_difference_is_x },
	{ .name = "relu(2x) is 2 relu(x)",
	    .scale = { 2.0f },
	    .scale_out = 2.0f },
	RELATIONS_OF_ROWS,
};

static const struct op_relation exp_relations[] = {
	{ .name = "exp(x) exp(-x) is 1",
	    .change = relation_negate,
	    .each = check_product_is_1 },
	RELATIONS_OF_ROWS,
};

static const struct op_relation log_relations[] = {
	{ .name = "ln(2x) is ln(x) + ln(2)",
	    .scale = { 2.0f },
	    .each = check_adds_ln2 },
	RELATIONS_OF_ROWS,
};

static const struct op_relation sqrt_relations[] = {
	{ .name = "sqrt(4x) is 2 sqrt(x)",
	    .scale = { 4.0f },
	    .each = check_doubles },
	RELATIONS_OF_ROWS,
};

static const struct op_relation tanh_relations[] = {
	{ .name = "tanh(-x) is -tanh(x)",
	    .change = relation_negate,
	    .each = check_odd },
	RELATIONS_OF_ROWS,
};

static const struct op_relation sigmoid_relations[] = {
	{ .name = "sigmoid(x) + sigmoid(-x) is 1",
	    .change = relation_negate,
	    .each = check_sum_is_1 },
	RELATIONS_OF_ROWS,
};

/* silu and gelu: x times a function whose values at x and -x add up to 1. */
static const struct op_relation gated_relations[] = {
	{ .name = "f(x) - f(-x) is x",
	    .change = relation_negate,
	    .each = check_difference_is_x },
	RELATIONS_OF_ROWS,
};

#define REFERENCE(name, f, error)                                              \
	static void name##_reference(const struct op_instance *in, double *y,  \
	    double *bound)                                                     \
	{                                                                      \
		map(in, f, error, y, bound);                                   \
	}                                                                      \
	extern const struct op op_##name

/* What all of them say alike. */
#define UNARY(id, arguments)                                                   \
	.name = #id, .args = (arguments), .nargs = COUNT(arguments),           \
	.smoke = &smoke, .holdouts = holdouts, .extent = extent,               \
	.is_elementwise = true, .reference = id##_reference,                   \
	.bench = &op_bench_map

REFERENCE(abs, fabs, bound_exact);
REFERENCE(exp, exp, bound_3ulp);
REFERENCE(gelu, gelu, bound_gelu);
REFERENCE(log, log, bound_log);
REFERENCE(relu, relu, bound_exact);
REFERENCE(sigmoid, sigmoid, bound_sigmoid);
REFERENCE(silu, silu, bound_silu);
REFERENCE(sqrt, sqrt, bound_3ulp);
REFERENCE(tanh, tanh, bound_tanh);

const struct op op_abs = {
	UNARY(abs, args),
	.keeps_zero_sign = true,
	.nholdouts = COUNT(holdouts),
	.category = "elementwise",
	.formula = "out = |x|",
	.notes = "",
	OP_ROWS(exact, exact),
	OP_ROWS(relations, abs_relations),
};

const struct op op_exp = {
	UNARY(exp, args),
	.nholdouts = COUNT(holdouts),
	.category = "elementwise",
	.formula = "out = exp(x)",
	.notes = "",
	OP_ROWS(relations, exp_relations),
};

const struct op op_gelu = {
	UNARY(gelu, args),
	.nholdouts = COUNT(holdouts),
	.category = "activation",
	.formula = "out = x * 0.5 * (1 + erf(x / sqrt(2)))",
	.notes = "The exact erf form, not the tanh approximation.",
	OP_ROWS(causes, gelu_causes),
	OP_ROWS(relations, gated_relations),
};

const struct op op_log = {
	UNARY(log, args_abs),
	.outcomes = log_outcomes,
	.nholdouts = COUNT(holdouts),
	.category = "elementwise",
	.formula = "out = ln(x)",
	.notes = "Natural logarithm; zero gives -infinity, negative x NaN.",
	OP_ROWS(relations, log_relations),
};

const struct op op_relu = {
	UNARY(relu, args),
	.nholdouts = COUNT(holdouts),
	.category = "activation",
	.formula = "out = max(x, 0)",
	.notes = "NaN stays NaN.",
	OP_ROWS(exact, exact),
	OP_ROWS(relations, relu_relations),
};

const struct op op_sigmoid = {
	UNARY(sigmoid, args),
	.nholdouts = COUNT(holdouts),
	.category = "activation",
	.formula = "out = 1 / (1 + exp(-x))",
	.notes = "",
	OP_ROWS(relations, sigmoid_relations),
};

const struct op op_silu = {
	UNARY(silu, args),
	.nholdouts = COUNT(holdouts),
	.category = "activation",
	.formula = "out = x / (1 + exp(-x))",
	.notes = "",
	OP_ROWS(relations, gated_relations),
};

const struct op op_sqrt = {
	UNARY(sqrt, args_abs),
	.keeps_zero_sign = true,
	.outcomes = sqrt_outcomes,
	.nholdouts = COUNT(holdouts),
	.category = "elementwise",
	.formula = "out = sqrt(x)",
	.notes = "Negative x gives NaN.",
	OP_ROWS(relations, sqrt_relations),
};

const struct op op_tanh = {
	UNARY(tanh, args),
	.nholdouts = COUNT(holdouts) - 1,
	.category = "activation",
	.formula = "out = tanh(x)",
	.notes = "",
	OP_ROWS(relations, tanh_relations),
};
