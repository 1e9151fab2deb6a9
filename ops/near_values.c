/* Products with powers of two and single operations: the same bits everywhere.
 */
#include "ops/near_values.h"

#include "base/units.h"
#include <math.h>

#define COARSEST  (-3) /* as a power of two */
#define LAST_BITS 6    /* a half of all within so many of the last places */
#define FEW_BITS  8    /* of a value's mantissa, and of a step's */

/* A mantissa's bits, and how large values get. */
static const struct {
	int bits, low, high;
} formats[DTYPE_NDTYPES] = {
	[DTYPE_F32] = { 23, -4, 6 },
	[DTYPE_F16] = { 10, -4, 6 },
	[DTYPE_BF16] = { 7, -4, 6 },
};

/* 1 to 2, of so many bits. */
static float
mantissa(struct draw *d, int bits)
{
	uint32_t one = 1u << bits;

	return (float)draw_range(d, one, 2 * one - 1) / (float)one;
}

static int
exponent(struct draw *d, int low, int high)
{
	return low + (int)draw_range(d, 0, (uint32_t)(high - low));
}

struct near_values
near_draw(struct draw *d, enum dtype t)
{
	int last = -formats[t].bits, most = COARSEST;
	struct near_values ret = { .around = 1.0f };

	ret.way = (enum near_way)draw_range(d, 0, NEAR_NWAYS - 1);
	if (draw_range(d, 0, 1) == 0 && last + LAST_BITS < most)
		most = last + LAST_BITS;
	ret.delta = ldexpf(mantissa(d, FEW_BITS), exponent(d, last, most));
	/* Round numbers as well: who cuts bits cuts nothing above these. */
	if (draw_range(d, 0, 3) != 0)
		ret.around =
		    ldexpf(mantissa(d,
		               draw_range(d, 0, 1) ? formats[t].bits : 2),
		        exponent(d, formats[t].low, formats[t].high));
	if (ret.way == NEAR_STEPS)
		ret.delta *= ret.around;
	if (draw_range(d, 0, 1) == 0)
		ret.around = -ret.around;
	return ret;
}

/* -1 to 1. */
static float
either_side(struct draw *d)
{
	return (float)((int)draw_range(d, 0, 1 << 20) - (1 << 19)) * 0x1p-19f;
}

static float
offset(struct draw *d, enum near_way way, size_t i)
{
	static const float threes[] = { 1.0f, -1.0f, 0.0f };

	switch (way) {
	case NEAR_ABOVE:
		return fabsf(either_side(d));
	case NEAR_ALTERNATE:
		return i % 2 ? -1.0f : 1.0f;
	case NEAR_THREES:
		return threes[i % 3];
	case NEAR_NOISE:
	case NEAR_STEPS:
	case NEAR_NWAYS:
	default:
		return either_side(d);
	}
}

/* Of few bits and from a multiple of its last one: no sum of them rounds. */
static void
fill_steps(enum dtype t, const struct near_values *near, float *v, size_t n,
    size_t step)
{
	int e;
	float m = frexpf(near->delta, &e), unit = ldexpf(1.0f, e - FEW_BITS);
	float by = floorf(ldexpf(m, FEW_BITS)) * unit;
	float first = rintf(near->around / unit) * unit;

	for (size_t i = 0; i < n; i++)
		v[i * step] = dtype_round(t, first + by * (float)i);
}

void
near_fill(struct draw *d, enum dtype t, const struct near_values *near,
    float *v, size_t n, size_t step)
{
	if (near->way == NEAR_STEPS) {
		fill_steps(t, near, v, n, step);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		float by = near->delta * offset(d, near->way, i);

		v[i * step] = dtype_round(t, near->around * (1.0f + by));
	}
}

void
near_copy(struct draw *d, enum dtype t, float delta, const float *from,
    float *v, size_t n, size_t step)
{
	for (size_t i = 0; i < n; i++)
		v[i * step] = dtype_round(t,
		    from[i * step] * (1.0f + delta * either_side(d)));
}

/* Alike in their sum alone; and an ideal solution of Prouhet, Tarry and Escott's
 * problem, of degree five: A. Gloden, Mehrgradige Gleichungen, 1944. */
static const float twins[2][2][6] = {
	{ { 0, 1, 2, 19, 19, 19 }, { 10, 10, 10, 10, 10, 10 } },
	{ { 0, 5, 6, 16, 17, 22 }, { 1, 2, 10, 12, 20, 21 } },
};

#define ENDS    2 /* of either side, alike in both */
#define LARGEST 24.0f

void
near_twins(struct draw *d, enum dtype t, float *one, float *other, size_t n)
{
	size_t ntwins = COUNT(twins[0][0]);
	uint32_t k = draw_range(d, 0, COUNT(twins) - 1);
	bool has_room = n >= ntwins + (size_t)2 * ENDS;
	float unit = ldexpf(1.0f, -(int)draw_range(d, 0, 2));

	for (size_t i = 0; i < n; i++) {
		bool is_twin =
		    has_room && i >= ENDS && i < ENDS + ntwins && n - i > ENDS;
		float v = i == 0 ? LARGEST : (float)draw_range(d, 1, 22);

		one[i] = dtype_round(t,
		    unit * (is_twin ? twins[k][0][i - ENDS] : v));
		other[i] = dtype_round(t,
		    unit * (is_twin ? twins[k][1][i - ENDS] : v));
	}
	for (size_t i = 0; !has_room && i < n; i++)
		other[i] = one[n - 1 - i];
}
