/*
 * A class has a way to make one value, from what is drawn once for all of
 * them (a scale, a constant), and may then plant others among them.  Products
 * with powers of two and single operations only: the same bits everywhere.
 */
#include "ops/value_classes.h"

#include "ops/near_values.h"
#include <math.h>
#include <stdlib.h>

#define LONG_ROW  4096
#define GIANT_ROW 65536
/* From here on a row repeats itself: a drawn value is dear, and no power of
 * two is a multiple of this, so that an index that wraps finds another one. */
#define PERIOD      8191
#define HALVES_BITS 124 /* of their squares' sum, times four */
#define WHOLE_FEW   8   /* sums of these are exact in most storage types */
/* As powers of two: how far apart two special values lie, as lanes and blocks
 * do; and how long stretches of one kind are. */
#define APART_MOST   10
#define STRETCH_LOW  2
#define STRETCH_HIGH 8

struct shared {
	enum dtype t;
	float scale, constant;
	/* 0: all positive, 1: all negative, 2: either, 3: the least alone */
	uint32_t sign;
	uint32_t whole; /* the largest whole number */
};

typedef float make_fn(struct draw *d, const struct shared *s);
typedef void plant_fn(struct draw *d, float *v, size_t n, size_t step);

static make_fn make_normal, make_integer, make_constant, make_zero,
    make_either_zero, make_subnormal, make_largest, make_smallest, make_wide,
    make_scaled, make_offset, make_tie, make_deep, make_neg_inf;
static plant_fn plant_outlier, plant_nan, plant_nans, plant_inf, plant_neg_inf,
    plant_both_inf;

/* clang-format off */
static const struct {
	const char *name;
	make_fn *make;
	plant_fn *plant;
	bool special;
} classes[VALUES_NCLASSES] = {
	[VALUES_NORMAL]      = { "normal",             make_normal,      NULL,           false },
	[VALUES_INTEGERS]    = { "integers",           make_integer,     NULL,           false },
	[VALUES_CONSTANT]    = { "constant",           make_constant,    NULL,           false },
	[VALUES_ZEROS]       = { "zeros",              make_zero,        NULL,           false },
	[VALUES_BOTH_ZEROS]  = { "both zeros",         make_either_zero, NULL,           false },
	[VALUES_SUBNORMAL]   = { "subnormal",          make_subnormal,   NULL,           false },
	[VALUES_LARGEST]     = { "near the largest",   make_largest,     NULL,           false },
	[VALUES_SMALLEST]    = { "near the smallest",  make_smallest,    NULL,           false },
	[VALUES_WIDE]        = { "wide range",         make_wide,        NULL,           false },
	[VALUES_SCALED]      = { "of one scale",       make_scaled,      NULL,           false },
	[VALUES_OUTLIER]     = { "outlier",            make_normal,      plant_outlier,  false },
	[VALUES_OFFSET]      = { "offset",             make_offset,      NULL,           false },
	[VALUES_TIES]        = { "ties",               make_tie,         NULL,           false },
	[VALUES_DEEP]        = { "all far below zero", make_deep,        NULL,           false },
	[VALUES_NAN]         = { "one NaN",            make_normal,      plant_nan,      true },
	[VALUES_NANS]        = { "several NaN",        make_normal,      plant_nans,     true },
	[VALUES_INF]         = { "+inf",               make_normal,      plant_inf,      true },
	[VALUES_NEG_INF]     = { "-inf",               make_normal,      plant_neg_inf,  true },
	[VALUES_BOTH_INF]    = { "both infinities",    make_normal,      plant_both_inf, true },
	[VALUES_ALL_NEG_INF] = { "nothing but -inf",   make_neg_inf,     NULL,           true },
};

/* Of a storage type, as powers of two: the largest exponent, the smallest
 * normal one, a mantissa's bits, and how far the wide range and the scales of
 * a row reach. */
static const struct {
	int max, min, bits, wide, up, down;
} formats[DTYPE_NDTYPES] = {
	[DTYPE_F32]  = { 127, -126, 23, 60, 40, 40 },
	[DTYPE_F16]  = {  15,  -14, 10, 12, 10, 10 },
	[DTYPE_BF16] = { 127, -126,  7, 60, 40, 40 },
};
/* clang-format on */

const char *
values_name(enum values_class c)
{
	return classes[c].name;
}

bool
values_is_special(enum values_class c)
{
	return classes[c].special;
}

/* Now and then nothing but one huge number and, in half of the places, its
 * negative: what squares, sums and differences of means still hold, products of
 * these do not. */
static void
make_halves(struct draw *d, enum dtype t, float *v, size_t n, size_t step)
{
	int bits = 0, e;

	if (n < 2 || draw_range(d, 0, 3) != 0)
		return;
	while (n >> bits != 0)
		bits++;
	e = (HALVES_BITS - bits) / 2;
	if (e > formats[t].max)
		e = formats[t].max;
	for (size_t i = 0; i < n; i++)
		v[i * step] = ldexpf(i < n / 2 ? -1.0f : 1.0f, e);
}

/* Whole numbers: as often as not small ones, else up to those from which on the
 * storage type has no odd ones, times any power of two that leaves them whole. */
static void
draw_whole(struct draw *d, enum dtype t, struct shared *s)
{
	uint32_t bits = (uint32_t)formats[t].bits + 1;

	s->whole = WHOLE_FEW;
	s->scale = 1.0f;
	if (draw_range(d, 0, 1) == 0)
		return;
	s->whole = 1u << draw_range(d, 0, bits - 1);
	if (draw_range(d, 0, 1) == 0)
		s->scale = ldexpf(1.0f,
		    (int)draw_range(d, 0, (uint32_t)formats[t].up / 2));
}

/* As good as constant: a test with a tolerance says that it is. */
static void
make_near(struct draw *d, enum dtype t, float *v, size_t n, size_t step)
{
	struct near_values near = near_draw(d, t);
	size_t own = n < PERIOD ? n : PERIOD;

	near_fill(d, t, &near, v, own, step);
	for (size_t i = own; i < n; i++)
		v[i * step] = v[(i - own) * step];
}

/* One kind of values that others are planted among. */
static void
make_among(struct draw *d, enum dtype t, float *v, size_t n, size_t step)
{
	static make_fn *const kinds[] = { make_normal, make_zero, make_neg_inf,
		make_deep, make_constant, make_integer, NULL };
	make_fn *make = kinds[draw_range(d, 0, COUNT(kinds) - 1)];
	size_t own = n < PERIOD ? n : PERIOD;
	struct shared s = { .t = t,
		.scale = 1.0f,
		.constant = draw_normal(d),
		.sign = 2,
		.whole = WHOLE_FEW };

	if (!make) {
		make_near(d, t, v, n, step);
		return;
	}
	for (size_t i = 0; i < own; i++)
		v[i * step] = dtype_round(t, make(d, &s));
	for (size_t i = own; i < n; i++)
		v[i * step] = v[(i - own) * step];
}

/* What special values stand among: values of any kind, and in a half of all
 * rows of another kind in stretches, as blocks are. */
static void
fill_among(struct draw *d, enum dtype t, float *v, size_t n, size_t step)
{
	size_t of = (size_t)1 << draw_range(d, STRETCH_LOW, STRETCH_HIGH);

	make_among(d, t, v, n, step);
	if (draw_range(d, 0, 1) == 0)
		return;
	for (size_t at = draw_range(d, 0, 1) * of; at < n; at += 2 * of)
		make_among(d, t, v + at * step, n - at < of ? n - at : of,
		    step);
}

void
values_fill(struct draw *d, enum dtype t, enum values_class c, float *v,
    size_t n, size_t step)
{
	int down = formats[t].down, up = formats[t].up;
	struct shared s = { .t = t };

	if (c == VALUES_SCALED || c == VALUES_DEEP)
		s.scale = ldexpf(1.0f,
		    (int)draw_range(d, 0, (uint32_t)(down + up)) - down);
	if (c == VALUES_CONSTANT || c == VALUES_TIES)
		s.constant = draw_normal(d);
	if (c == VALUES_LARGEST || c == VALUES_INTEGERS)
		s.sign = draw_range(d, 0, 3);
	if (c == VALUES_INTEGERS)
		draw_whole(d, t, &s);
	for (size_t i = 0; i < n && i < PERIOD; i++)
		v[i * step] = dtype_round(t, classes[c].make(d, &s));
	for (size_t i = PERIOD; i < n; i++)
		v[i * step] = v[(i - PERIOD) * step];
	if (c == VALUES_SCALED)
		make_halves(d, t, v, n, step);
	if (c == VALUES_CONSTANT && draw_range(d, 0, 1) == 0)
		make_near(d, t, v, n, step);
	if (classes[c].special && classes[c].plant && n > 1 &&
	    draw_range(d, 0, 2) != 0)
		fill_among(d, t, v, n, step);
	if (classes[c].plant && n > 0)
		classes[c].plant(d, v, n, step);
	for (size_t i = 0; i < n && t != DTYPE_F32 && n >= GIANT_ROW; i++)
		v[i * step] = dtype_round(t, v[i * step]);
}

static float
make_normal(struct draw *d, const struct shared *s)
{
	(void)s;
	return draw_normal(d);
}

static float
make_integer(struct draw *d, const struct shared *s)
{
	int most = (int)s->whole, v;

	v = (int)draw_range(d, 0, 2 * s->whole) - most;
	/* The largest alone, all of one sign: what counts in few bits ends. */
	if (s->sign == 3)
		v = most;
	return (float)(s->sign == 0 ? abs(v) : v) * s->scale;
}

static float
make_constant(struct draw *d, const struct shared *s)
{
	(void)d;
	return s->constant;
}

static float
make_zero(struct draw *d, const struct shared *s)
{
	(void)d;
	(void)s;
	return 0.0f;
}

static float
either_sign(struct draw *d, float v)
{
	return draw_bits(d) >> 63 ? -v : v;
}

static float
make_either_zero(struct draw *d, const struct shared *s)
{
	(void)s;
	return either_sign(d, 0.0f);
}

/* 1 to 2^bits - 1 units of the storage type's smallest number. */
static float
make_subnormal(struct draw *d, const struct shared *s)
{
	int bits = formats[s->t].bits;
	float units = (float)draw_range(d, 1, (1u << bits) - 1);

	return either_sign(d, ldexpf(units, formats[s->t].min - bits));
}

/* 1.0 to 1.11... with the storage type's bits, so that nothing rounds up. */
static float
mantissa(struct draw *d, enum dtype t)
{
	uint32_t one = 1u << formats[t].bits;

	return (float)draw_range(d, one, 2 * one - 1) / (float)one;
}

static float
make_largest(struct draw *d, const struct shared *s)
{
	float v = ldexpf(mantissa(d, s->t), formats[s->t].max);

	/* A maximum may start next to it. */
	if (s->sign == 3)
		return -ldexpf(2.0f - ldexpf(1.0f, -formats[s->t].bits),
		    formats[s->t].max);
	if (s->sign == 2)
		return either_sign(d, v);
	return s->sign == 1 ? -v : v;
}

static float
make_smallest(struct draw *d, const struct shared *s)
{
	int e = formats[s->t].min + (int)draw_range(d, 0, 2);

	return either_sign(d, ldexpf(mantissa(d, s->t), e));
}

static float
make_wide(struct draw *d, const struct shared *s)
{
	int wide = formats[s->t].wide;
	int e = (int)draw_range(d, 0, 2 * (uint32_t)wide) - wide;

	return either_sign(d, ldexpf(mantissa(d, s->t), e));
}

static float
make_scaled(struct draw *d, const struct shared *s)
{
	return draw_normal(d) * s->scale;
}

static float
make_offset(struct draw *d, const struct shared *s)
{
	(void)s;
	return draw_normal(d) + 1000.0f;
}

/* The constant, or 0 to 3 less: every fourth one is the largest. */
static float
make_tie(struct draw *d, const struct shared *s)
{
	return s->constant - (float)draw_range(d, 0, 3);
}

/* -200 to -400, or that times up to 2^40: past every finite number that a
 * maximum might start from. */
static float
make_deep(struct draw *d, const struct shared *s)
{
	float scale = s->scale < 1.0f ? 1.0f : s->scale;

	if (s->t == DTYPE_F16 && scale > 128.0f)
		scale = 128.0f;
	else if (s->t != DTYPE_F16)
		scale *= scale * scale; /* to 2^120 */
	return -200.0f * mantissa(d, s->t) * scale;
}

static float
make_neg_inf(struct draw *d, const struct shared *s)
{
	(void)d;
	(void)s;
	return -INFINITY;
}

/* ---- values among others, at drawn places */

static void
plant(struct draw *d, float *v, size_t n, size_t step, float what, size_t count)
{
	for (size_t i = 0; i < count; i++)
		v[draw_range(d, 0, (uint32_t)n - 1) * step] = what;
}

/* The error bound of a long row is wider than most of its elements are large:
 * one that is lost shows where it outweighs all others together, and the last
 * one is lost most easily. */
static void
plant_outlier(struct draw *d, float *v, size_t n, size_t step)
{
	float large = dtype_round(DTYPE_BF16, 1e4f);
	/* Of two that are alike one taken twice makes up for one left out. */
	float other = n >= LONG_ROW ? dtype_round(DTYPE_BF16, 7e3f) : large;

	for (size_t i = 0; i < n && n >= GIANT_ROW; i++)
		v[i * step] *= 0x1p-8f;
	plant(d, v, n, step, either_sign(d, other), 1);
	if (n >= LONG_ROW)
		v[(n - 1) * step] = large;
}

/* Two of n places: the second one behind the first, by a multiple of lanes or
 * of a power of two, so that one lane or one block meets both. */
static void
two_places(struct draw *d, size_t n, size_t lanes, size_t *first,
    size_t *second)
{
	size_t apart = lanes, most = 0, by;

	while (most < APART_MOST && (size_t)2 << most < n)
		most++;
	if (apart == 0 || apart >= n)
		apart = (size_t)1 << draw_range(d, 0, (uint32_t)most);
	/* As often as not the next one: more lie within one block then. */
	by = draw_range(d, 0, 1) == 0
	    ? apart
	    : apart * draw_range(d, 1, (uint32_t)((n - 1) / apart));
	*first = draw_range(d, 0, (uint32_t)(n - 1 - by));
	*second = *first + by;
}

/* A NaN and an infinity, or two infinities, in either order: whoever stops, or
 * goes on, at the first one has not seen the other. */
static void
plant_pair(struct draw *d, float *v, size_t n, size_t step, size_t lanes)
{
	float one = either_sign(d, INFINITY), other = -one;
	size_t first, second;

	two_places(d, n, lanes, &first, &second);
	if (draw_range(d, 0, 2) != 0)
		other = draw_nan(d);
	if (isnan(other) && draw_range(d, 0, 2) == 0) {
		v[first * step] = other;
		other = one;
	} else {
		v[first * step] = one;
	}
	v[second * step] = other;
}

/* With an infinity, now and then. */
static void
plant_nan(struct draw *d, float *v, size_t n, size_t step)
{
	size_t first, second;

	if (n > 1 && draw_range(d, 0, 1) == 0) {
		two_places(d, n, 0, &first, &second);
		v[first * step] = either_sign(d, INFINITY);
		v[second * step] = draw_nan(d);
		if (draw_range(d, 0, 3) == 0) {
			v[second * step] = v[first * step];
			v[first * step] = draw_nan(d);
		}
		return;
	}
	v[draw_range(d, 0, (uint32_t)n - 1) * step] = draw_nan(d);
}

void
values_specials(struct draw *d, enum dtype t, float *v, size_t n, size_t lanes)
{
	if (n < 2)
		return;
	fill_among(d, t, v, n, 1);
	if (draw_range(d, 0, 2) == 0)
		v[draw_range(d, 0, (uint32_t)n - 1)] = draw_nan(d);
	else
		plant_pair(d, v, n, 1, draw_range(d, 0, 1) ? lanes : 0);
}

size_t
values_count(struct draw *d, size_t n)
{
	size_t bits = 0, count;

	while (n >> (bits + 1) != 0)
		bits++;
	/* Of those that there are room for, the bytes' and the words' first. */
	count = draw_range(d, 0, 1) == 0 && bits >= 8
	    ? (size_t)1 << (bits >= 16 ? 16 : 8)
	    : (size_t)1 << draw_range(d, 0, (uint32_t)bits);
	count = count + draw_range(d, 0, 2) - 1;
	return count < 1                            ? 1
	    : count > n || draw_range(d, 0, 7) == 0 ? n
	                                            : count;
}

/* So many, one after the other, as a counter of few bits takes for none. */
static void
plant_stretch(struct draw *d, float *v, size_t n, size_t step, float what)
{
	size_t count = values_count(d, n);
	size_t from = draw_range(d, 0, (uint32_t)(n - count));

	for (size_t i = 0; i < count; i++)
		v[(from + i) * step] = isnan(what) ? draw_nan(d) : what;
}

static void
plant_nans(struct draw *d, float *v, size_t n, size_t step)
{
	if (draw_range(d, 0, 1) == 0) {
		plant_stretch(d, v, n, step, NAN);
		return;
	}
	for (size_t i = 0; i < 2 + n / 4; i++)
		plant(d, v, n, step, draw_nan(d), 1);
}

/* Some at drawn places, or a stretch of them. */
static void
plant_some(struct draw *d, float *v, size_t n, size_t step, float what)
{
	uint32_t way = draw_range(d, 0, 2);

	if (way == 0)
		plant_stretch(d, v, n, step, what);
	else
		plant(d, v, n, step, what,
		    way == 1 ? draw_range(d, 1, 3) : 1 + n / 3);
}

static void
plant_inf(struct draw *d, float *v, size_t n, size_t step)
{
	plant_some(d, v, n, step, INFINITY);
}

static void
plant_neg_inf(struct draw *d, float *v, size_t n, size_t step)
{
	uint32_t way = draw_range(d, 0, 3);
	size_t run = n / 2 + draw_range(d, 0, (uint32_t)(n / 4));

	plant_some(d, v, n, step, -INFINITY);
	/* Where a running maximum begins; as a mask leaves a row, whose first
	 * or last blocks hold nothing else. */
	if (way == 0)
		v[0] = -INFINITY;
	for (size_t i = 0; i < run && (way == 1 || way == 2); i++)
		v[(way == 1 ? i : n - 1 - i) * step] = -INFINITY;
}

static void
plant_both_inf(struct draw *d, float *v, size_t n, size_t step)
{
	size_t first = 0, second = 0;
	float one = either_sign(d, INFINITY);

	if (draw_range(d, 0, 1) == 0)
		plant_some(d, v, n, step, INFINITY);
	if (n > 1)
		two_places(d, n, 0, &first, &second);
	v[second * step] = -one;
	v[first * step] = n > 1 ? one : -INFINITY;
}
