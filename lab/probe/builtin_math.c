/*
 * Built-ins of floats: functions, comparisons, geometry. Each is worked out in
 * double and rounded; its row's ulps are what OpenCL's table of accuracies
 * (7.4) admits, by which the pessimist errs.
 */
#include "lab/probe/builtin.h"
#include "lab/probe/machine_priv.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static double
rsqrt_of(double x)
{
	return 1.0 / sqrt(x);
}
static double
recip_of(double x)
{
	return 1.0 / x;
}
static double
exp10_of(double x)
{
	return pow(10.0, x);
}
static double
acospi_of(double x)
{
	return acos(x) / PI;
}
static double
asinpi_of(double x)
{
	return asin(x) / PI;
}
static double
atanpi_of(double x)
{
	return atan(x) / PI;
}
static double
degrees_of(double x)
{
	return x * (180.0 / PI);
}
static double
radians_of(double x)
{
	return x * (PI / 180.0);
}
static double
divide_of(double x, double y)
{
	return x / y;
}
static double
atan2pi_of(double y, double x)
{
	return atan2(y, x) / PI;
}

static double
sign_of(double x)
{
	return isnan(x) ? 0.0 : x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}

/* Of a multiple of pi: the argument is reduced first, exactly. */
static double
sinpi_of(double x)
{
	double r = fmod(x, 2.0);

	/* Zero itself, which the sine of a rounded pi is not. */
	if (r == 0.0 || r == 1.0 || r == -1.0)
		return copysign(0.0, x);
	return sin(r * PI);
}

static double
cospi_of(double x)
{
	double r = fabs(fmod(x, 2.0));

	return r == 0.5 || r == 1.5 ? 0.0 : cos(r * PI);
}

static double
tanpi_of(double x)
{
	return sinpi_of(x) / cospi_of(x);
}

static double
powr_of(double x, double y)
{
	/* Where pow() has an answer and powr() has none (OpenCL 1.2, 7.5.1). */
	return x < 0 || (x == 0 && y == 0) || (x == 1 && isinf(y)) ? (double)NAN
	                                                           : pow(x, y);
}

static double
maxmag_of(double x, double y)
{
	return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y);
}

static double
minmag_of(double x, double y)
{
	return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y);
}

/* The next float, not the next double. */
static void
nextafter_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i), y = builtin_real(k, 1, i);

		builtin_set_real(k, i,
		    builtin_width(k, 0) == 64
		        ? nextafter(x, y)
		        : (double)nextafterf((float)x, (float)y));
	}
}

/* Both are taken where they are equal, or a NaN is there. */
static void
count_choice(struct builtin_call *k, double x, double y, bool is_max)
{
	if (!(is_max ? x < y : x > y))
		builtin_chose(k, 0);
	if (!(is_max ? x > y : x < y))
		builtin_chose(k, 1);
}

/* What it is, or the argument that is given in its place. */
static double
told_of(const struct builtin_call *k, double x, double y, double is)
{
	uint32_t told = builtin_told(k, UINT32_MAX);

	return told == 0 ? x : told == 1 ? y : is;
}

static void
max_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i), y = builtin_real(k, 1, i);

		count_choice(k, x, y, true);
		builtin_set_real(k, i, told_of(k, x, y, fmax(x, y)));
	}
}

static void
min_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i), y = builtin_real(k, 1, i);

		count_choice(k, x, y, false);
		builtin_set_real(k, i, told_of(k, x, y, fmin(x, y)));
	}
}

static void
clamp_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i), low = builtin_real(k, 1, i);
		double high = builtin_real(k, 2, i);

		builtin_chose(k, x < low ? 0 : x > high ? 2 : 1);
		x = told_of(k, low, x, fmin(fmax(x, low), high));
		builtin_set_real(k, i, builtin_told(k, 0) == 2 ? high : x);
	}
}

static void
step_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		bool is = !(builtin_real(k, 1, i) < builtin_real(k, 0, i));

		is = builtin_told(k, is) != 0;
		builtin_chose(k, is);
		builtin_set_real(k, i, is ? 1.0 : 0.0);
	}
}

static void
smoothstep_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		double a = builtin_real(k, 0, i), b = builtin_real(k, 1, i);
		double t = (builtin_real(k, 2, i) - a) / (b - a);

		builtin_chose(k, t < 0 ? 0 : t > 1 ? 2 : 1);
		t = fmin(fmax(t, 0.0), 1.0);
		builtin_set_real(k, i, t * t * (3.0 - 2.0 * t));
	}
}

static void
fma_at(struct builtin_call *k)
{
	bool is_double = builtin_width(k, 0) == 64;

	for (uint32_t i = 0; i < k->lanes; i++) {
		double a = builtin_real(k, 0, i), b = builtin_real(k, 1, i);
		double c = builtin_real(k, 2, i);

		builtin_set_real(k, i,
		    is_double ? fma(a, b, c)
		              : (double)fmaf((float)a, (float)b, (float)c));
	}
}

/* A device may fuse it or not: the pessimist does not. */
static void
mad_at(struct builtin_call *k)
{
	if (!k->m->l->is_pessimist || builtin_width(k, 0) == 64) {
		fma_at(k);
		return;
	}
	for (uint32_t i = 0; i < k->lanes; i++) {
		/* Or our own compiler might fuse what is not to be fused. */
		volatile float ab =
		    (float)builtin_real(k, 0, i) * (float)builtin_real(k, 1, i);

		builtin_set_real(k, i,
		    (double)(ab + (float)builtin_real(k, 2, i)));
	}
}

static void
mix_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i), y = builtin_real(k, 1, i);

		builtin_set_real(k, i,
		    x + (double)(float)((y - x) * builtin_real(k, 2, i)));
	}
}

/* The second argument is a whole number. */
static int
exponent(const struct builtin_call *k, uint32_t i)
{
	return (int)(int32_t)(uint32_t)builtin_bits(k, 1, i);
}

static void
ldexp_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++)
		builtin_set_real(k, i,
		    ldexp(builtin_real(k, 0, i), exponent(k, i)));
}

static void
pown_at(struct builtin_call *k)
{
	static const struct prog_builtin row = { .ulps = 16 };

	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i);
		bool root = slice_is(k->c->plain, "rootn");
		double y = exponent(k, i), v;

		v = root ? copysign(pow(fabs(x), 1.0 / y),
		               fmod(y, 2.0) != 0 ? x : 1.0)
		         : pow(x, y);
		if (root && x < 0 && fmod(y, 2.0) == 0)
			v = (double)NAN;
		if (k->m->l->is_pessimist)
			v = builtin_err(k->m, &row, x, v, builtin_width(k, 0));
		builtin_set_real(k, i, v);
	}
}

static void
ilogb_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++)
		builtin_set_whole(k, i,
		    (uint64_t)(int64_t)ilogb(builtin_real(k, 0, i)));
}

/* ---- two results: the second one goes to memory, a lane after the other */

enum two { TWO_FRACT, TWO_MODF, TWO_SINCOS, TWO_FREXP, TWO_REMQUO, TWO_LGAMMA };

static double
split(enum two which, double x, double y, double *ret_other)
{
	int n = 0;
	double v;

	switch ((int)which) {
	case TWO_FRACT:
		*ret_other = floor(x);
		/* Below 1, however close: OpenCL 1.2 (6.12.2) says the
		 * bound. */
		return isinf(x) ? copysign(0.0, x)
		                : fmin(x - floor(x), 0x1.fffffep-1);
	case TWO_MODF:
		return modf(x, ret_other);
	case TWO_SINCOS:
		*ret_other = cos(x);
		return sin(x);
	case TWO_FREXP:
		v = frexp(x, &n);
		break;
	case TWO_REMQUO:
		v = remquo(x, y, &n);
		break;
	default:
		v = lgamma_r(x, &n);
		break;
	}
	*ret_other = n;
	return v;
}

static void
two_results(struct builtin_call *k, enum two which, bool whole)
{
	uint32_t last = k->c->nargs - 1,
	         bytes = whole ? 4 : k->c->result->bits / 8;
	static const struct prog_builtin row = { .ulps = 4 };

	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i), other;
		double y = last == 2 ? builtin_real(k, 1, i) : 0.0;
		double v = split(which, x, y, &other);
		uint64_t bits;

		if (k->m->l->is_pessimist && which == TWO_SINCOS) {
			v = builtin_err(k->m, &row, x, v, 32);
			other = builtin_err(k->m, &row, x, other, 32);
		}
		bits = whole ? (uint64_t)(int64_t)other
		             : builtin_to_bits(other, k->c->result->bits);
		builtin_set_real(k, i, v);
		machine_store(k->m, *k->args[last] + (uint64_t)i * bytes, &bits,
		    bytes);
	}
}

static void
fract_at(struct builtin_call *k)
{
	two_results(k, TWO_FRACT, false);
}
static void
modf_at(struct builtin_call *k)
{
	two_results(k, TWO_MODF, false);
}
static void
sincos_at(struct builtin_call *k)
{
	two_results(k, TWO_SINCOS, false);
}
static void
frexp_at(struct builtin_call *k)
{
	two_results(k, TWO_FREXP, true);
}
static void
remquo_at(struct builtin_call *k)
{
	two_results(k, TWO_REMQUO, true);
}
static void
lgamma_r_at(struct builtin_call *k)
{
	two_results(k, TWO_LGAMMA, true);
}

/* ---- comparisons: 1 of a scalar, all bits of a lane */

static bool
holds(struct slice name, double x, double y)
{
	static const struct {
		const char *name;
		unsigned when; /* equal 1, greater 2, less 4, unordered 8 */
	} rows[] = {
		{ "isequal", 1 },
		{ "isnotequal", 14 },
		{ "isgreater", 2 },
		{ "isgreaterequal", 3 },
		{ "isless", 4 },
		{ "islessequal", 5 },
		{ "islessgreater", 6 },
		{ "isordered", 7 },
		{ "isunordered", 8 },
	};
	unsigned is = isnan(x) || isnan(y) ? 8U : x < y ? 4U : x > y ? 2U : 1U;

	for (size_t i = 0; i < COUNT(rows); i++)
		if (slice_is(name, rows[i].name))
			return (rows[i].when & is) != 0;
	return false;
}

static bool
is_of_kind(struct slice name, double x, uint32_t width)
{
	if (slice_is(name, "isnan"))
		return isnan(x);
	if (slice_is(name, "isinf"))
		return isinf(x);
	if (slice_is(name, "isfinite"))
		return isfinite(x);
	if (slice_is(name, "signbit"))
		return signbit(x);
	return width == 64 ? isnormal(x) : isnormal((float)x);
}

static void
test_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i);
		bool is = k->c->nargs == 2
		    ? holds(k->c->plain, x, builtin_real(k, 1, i))
		    : is_of_kind(k->c->plain, x, builtin_width(k, 0));

		is = builtin_told(k, is) != 0;
		builtin_chose(k, is);
		builtin_set_whole(k, i,
		    !is                             ? 0
		        : k->c->types[0]->slots > 1 ? UINT64_MAX
		                                    : 1);
	}
}

/* ---- geometry */

static double
dot_of(const struct builtin_call *k, uint32_t b)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < k->c->types[0]->slots; i++)
		sum += builtin_real(k, 0, i) * builtin_real(k, b, i);
	return sum;
}

static void
dot_at(struct builtin_call *k)
{
	builtin_set_real(k, 0, dot_of(k, 1));
}

static void
length_at(struct builtin_call *k)
{
	builtin_set_real(k, 0, sqrt(dot_of(k, 0)));
}

static void
distance_at(struct builtin_call *k)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < k->c->types[0]->slots; i++) {
		double d = builtin_real(k, 0, i) - builtin_real(k, 1, i);

		sum += d * d;
	}
	builtin_set_real(k, 0, sqrt(sum));
}

static void
normalize_at(struct builtin_call *k)
{
	double n = sqrt(dot_of(k, 0));

	for (uint32_t i = 0; i < k->lanes; i++)
		builtin_set_real(k, i,
		    n > 0 ? builtin_real(k, 0, i) / n : builtin_real(k, 0, i));
}

static void
cross_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t a = (i + 1) % 3, b = (i + 2) % 3;

		builtin_set_real(k, i,
		    builtin_real(k, 0, a) * builtin_real(k, 1, b) -
		        builtin_real(k, 0, b) * builtin_real(k, 1, a));
	}
}

/* clang-format off */
#define F1(n, f, u)    { .name = (n), .of1 = (f), .needs = 1, .ulps = (u) }
#define F2(n, f, u)    { .name = (n), .of2 = (f), .needs = 2, .ulps = (u) }
#define FAST(n, f, e)  { .name = (n), .of1 = (f), .needs = 1, .ulps = 2, \
			 .error = BUILTIN_FAST_##e }
#define OWN(n, f, a, o) { .name = (n), .fn = (f), .needs = (a), .outcomes = (o) }

const struct prog_builtin builtin_math_rows[] = {
	F1("exp", exp, 3), F1("exp2", exp2, 3), F1("exp10", exp10_of, 3),
	F1("expm1", expm1, 3), F1("log", log, 3), F1("log2", log2, 3),
	F1("log10", log10, 3), F1("log1p", log1p, 2), F1("sqrt", sqrt, 3),
	F1("rsqrt", rsqrt_of, 2), F1("cbrt", cbrt, 2), F1("sin", sin, 4),
	F1("cos", cos, 4), F1("tan", tan, 5), F1("asin", asin, 4),
	F1("acos", acos, 4), F1("atan", atan, 5), F1("sinh", sinh, 4),
	F1("cosh", cosh, 4), F1("tanh", tanh, 5), F1("asinh", asinh, 4),
	F1("acosh", acosh, 4), F1("atanh", atanh, 5), F1("sinpi", sinpi_of, 4),
	F1("cospi", cospi_of, 4), F1("tanpi", tanpi_of, 6),
	F1("asinpi", asinpi_of, 5), F1("acospi", acospi_of, 5),
	F1("atanpi", atanpi_of, 5), F1("erf", erf, 16), F1("erfc", erfc, 16),
	F1("tgamma", tgamma, 16), F1("lgamma", lgamma, 16),
	F1("fabs", fabs, 0), F1("floor", floor, 0), F1("ceil", ceil, 0),
	F1("trunc", trunc, 0), F1("rint", rint, 0), F1("round", round, 0),
	F1("logb", logb, 0), F1("sign", sign_of, 0),
	F1("degrees", degrees_of, 2), F1("radians", radians_of, 2),
	F2("pow", pow, 16), F2("powr", powr_of, 16), F2("atan2", atan2, 6),
	F2("atan2pi", atan2pi_of, 6), F2("hypot", hypot, 4),
	F2("fmod", fmod, 0), F2("remainder", remainder, 0),
	F2("fdim", fdim, 0), F2("copysign", copysign, 0),
	F2("maxmag", maxmag_of, 0), F2("minmag", minmag_of, 0),
	FAST("native_exp", exp, EXP), FAST("native_exp2", exp2, EXP),
	FAST("native_exp10", exp10_of, EXP), FAST("native_log", log, LOG),
	FAST("native_log2", log2, LOG), FAST("native_log10", log10, LOG),
	FAST("native_sin", sin, SIN), FAST("native_cos", cos, SIN),
	FAST("native_tan", tan, SIN), F1("native_sqrt", sqrt, 3),
	F1("native_rsqrt", rsqrt_of, 2), F1("native_recip", recip_of, 2),
	F2("native_divide", divide_of, 2), F2("native_powr", powr_of, 64),
	F1("half_exp", exp, 8192), F1("half_exp2", exp2, 8192),
	F1("half_exp10", exp10_of, 8192), F1("half_log", log, 8192),
	F1("half_log2", log2, 8192), F1("half_log10", log10, 8192),
	F1("half_sin", sin, 8192), F1("half_cos", cos, 8192),
	F1("half_tan", tan, 8192), F1("half_sqrt", sqrt, 8192),
	F1("half_rsqrt", rsqrt_of, 8192), F1("half_recip", recip_of, 8192),
	F2("half_divide", divide_of, 8192), F2("half_powr", powr_of, 8192),
	OWN("fmax", max_at, 2, 2), OWN("fmin", min_at, 2, 2), OWN("max", max_at, 2, 2),
	OWN("min", min_at, 2, 2), OWN("clamp", clamp_at, 3, 3),
	OWN("step", step_at, 2, 2), OWN("smoothstep", smoothstep_at, 3, 3),
	OWN("fma", fma_at, 3, 0), OWN("mad", mad_at, 3, 0), OWN("mix", mix_at, 3, 0),
	OWN("llvm.fmuladd.*", mad_at, 3, 0), OWN("llvm.fma.*", fma_at, 3, 0),
	F1("llvm.fabs.*", fabs, 0), OWN("nextafter", nextafter_at, 2, 0),
	OWN("ldexp", ldexp_at, 2, 0), OWN("pown", pown_at, 2, 0),
	OWN("rootn", pown_at, 2, 0), OWN("ilogb", ilogb_at, 1, 0),
	OWN("fract", fract_at, 2, 0), OWN("modf", modf_at, 2, 0),
	OWN("sincos", sincos_at, 2, 0), OWN("frexp", frexp_at, 2, 0),
	OWN("remquo", remquo_at, 3, 0), OWN("lgamma_r", lgamma_r_at, 2, 0),
	OWN("isequal", test_at, 2, 2), OWN("isnotequal", test_at, 2, 2),
	OWN("isgreater", test_at, 2, 2), OWN("isgreaterequal", test_at, 2, 2),
	OWN("isless", test_at, 2, 2), OWN("islessequal", test_at, 2, 2),
	OWN("islessgreater", test_at, 2, 2), OWN("isordered", test_at, 2, 2),
	OWN("isunordered", test_at, 2, 2), OWN("isnan", test_at, 1, 2),
	OWN("isinf", test_at, 1, 2), OWN("isfinite", test_at, 1, 2),
	OWN("isnormal", test_at, 1, 2), OWN("signbit", test_at, 1, 2),
	OWN("dot", dot_at, 2, 0), OWN("length", length_at, 1, 0),
	OWN("distance", distance_at, 2, 0), OWN("normalize", normalize_at, 1, 0),
	OWN("fast_length", length_at, 1, 0), OWN("fast_distance", distance_at, 2, 0),
	OWN("fast_normalize", normalize_at, 1, 0), OWN("cross", cross_at, 2, 0),
};
/* clang-format on */

const size_t builtin_math_nrows = COUNT(builtin_math_rows);
