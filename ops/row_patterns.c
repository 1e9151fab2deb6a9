/* Small whole numbers and powers of two of a level, rounded once. */
#include "ops/row_patterns.h"

#include "base/units.h"
#include <math.h>

#define STAIR        16
#define PERIOD_LEAST 2
#define PERIOD_MOST  16
#define FIXED_ONE    256.0f
#define POWERS       4 /* either way */
#define WHOLE_MOST   0x1p23f
#define GROUP        64
#define PRIME        1009
#define OCTAVES      120 /* of a short row */
#define FAR          64  /* from the end, at most */

/* What all elements of a row have in common. */
struct row {
	struct draw *d;
	float level;
	uint32_t period;
	float few[ROW_PERIOD_MOST];
	size_t n, one, two; /* one, two: places */
	size_t mix;         /* of groups */
	size_t from;        /* where something else begins */
};

static float
either(struct draw *d, float v)
{
	return draw_range(d, 0, 1) ? v : -v;
}

/* A whole number from one to most. */
static float
whole(struct draw *d, float most)
{
	float top = most < 1.0f ? 1.0f : most > WHOLE_MOST ? WHOLE_MOST : most;

	return (float)draw_range(d, 1, (uint32_t)top);
}

static float
level(const struct row *x, size_t i)
{
	(void)i;
	return x->level;
}

static float
signs(const struct row *x, size_t i)
{
	(void)i;
	return either(x->d, x->level);
}

static float
turns(const struct row *x, size_t i)
{
	return i % 2 ? -x->level : x->level;
}

static float
bits(const struct row *x, size_t i)
{
	(void)i;
	return draw_range(x->d, 0, 1) ? x->level : 0.0f;
}

static float
one(const struct row *x, size_t i)
{
	return i == x->one ? x->level : 0.0f;
}

static float
two(const struct row *x, size_t i)
{
	return i == x->one || i == x->two ? x->level : 0.0f;
}

static float
rises(const struct row *x, size_t i)
{
	return x->level * (float)i;
}

static float
falls(const struct row *x, size_t i)
{
	return x->level * (float)(x->n - 1 - i);
}

static float
stairs(const struct row *x, size_t i)
{
	size_t stair = i / STAIR;

	return x->level * (float)stair;
}

static float
period(const struct row *x, size_t i)
{
	return x->few[i % x->period];
}

static float
few(const struct row *x, size_t i)
{
	(void)i;
	return x->few[draw_range(x->d, 0, 2)];
}

static float
whole_numbers(const struct row *x, size_t i)
{
	(void)i;
	return either(x->d, whole(x->d, x->level));
}

static float
fixed(const struct row *x, size_t i)
{
	(void)i;
	return either(x->d, whole(x->d, x->level * FIXED_ONE) / FIXED_ONE);
}

static float
powers(const struct row *x, size_t i)
{
	int by = (int)draw_range(x->d, 0, 2 * POWERS) - POWERS;

	(void)i;
	return either(x->d, ldexpf(x->level, by));
}

static float
half_zero(const struct row *x, size_t i)
{
	return (i + i / 4) % 4 < 2 ? 0.0f : either(x->d, x->level);
}

static float
quarter(const struct row *x, size_t i)
{
	return i % 4 < 3 ? 0.0f : either(x->d, x->level);
}

/* Any number of a group, the same each time. */
static float
of_group(const struct row *x, size_t group)
{
	size_t nth = group * x->mix % PRIME;
	float v = x->level * (float)(1 + nth);

	return nth % 3 ? v : -v;
}

static float
pairs(const struct row *x, size_t i)
{
	return of_group(x, i / 2);
}

static float
groups(const struct row *x, size_t i)
{
	return of_group(x, i / GROUP);
}

static float
halves(const struct row *x, size_t i)
{
	return i < x->n / 2 ? 0.0f : x->level;
}

static float
octaves(const struct row *x, size_t i)
{
	return i < OCTAVES ? ldexpf(x->level, (int)i - OCTAVES / 2) : x->level;
}

static float
crosses(const struct row *x, size_t i)
{
	return x->level * ((float)i - (float)x->one);
}

static float
first(const struct row *x, size_t i)
{
	return i == 0 ? x->level * 1000.0f : either(x->d, x->level / 2.0f);
}

static float
squares(const struct row *x, size_t i)
{
	return x->level * (float)i * ((float)i - 1.0f) / 2.0f;
}

static float
padded(const struct row *x, size_t i)
{
	return i < x->from ? either(x->d, whole(x->d, x->level)) : 0.0f;
}

static float
masked(const struct row *x, size_t i)
{
	return i < x->from ? either(x->d, whole(x->d, x->level)) : -INFINITY;
}

static float
small(const struct row *x, size_t i)
{
	(void)i;
	return either(x->d, (float)draw_range(x->d, 1, 2));
}

static float (*const elements[ROW_NPATTERNS])(const struct row *, size_t) = {
	[ROW_LEVEL] = level,
	[ROW_SIGNS] = signs,
	[ROW_TURNS] = turns,
	[ROW_BITS] = bits,
	[ROW_ONE] = one,
	[ROW_TWO] = two,
	[ROW_RISES] = rises,
	[ROW_FALLS] = falls,
	[ROW_STAIRS] = stairs,
	[ROW_PERIOD] = period,
	[ROW_MIRROR] = whole_numbers,
	[ROW_FEW] = few,
	[ROW_WHOLE] = whole_numbers,
	[ROW_FIXED] = fixed,
	[ROW_POWERS] = powers,
	[ROW_HALF_ZERO] = half_zero,
	[ROW_QUARTER] = quarter,
	[ROW_SMALL] = small,
	[ROW_PAIRS] = pairs,
	[ROW_GROUPS] = groups,
	[ROW_HALVES] = halves,
	[ROW_AGAINST] = whole_numbers,
	[ROW_OCTAVES] = octaves,
	[ROW_CROSSES] = crosses,
	[ROW_FIRST] = first,
	[ROW_SQUARES] = squares,
	[ROW_PADDED] = padded,
	[ROW_MASKED] = masked,
};

/* Near the end of a long row, where a place has the most bits. */
static size_t
draw_place(struct draw *d, size_t n)
{
	return n - 1 - draw_range(d, 0, n <= FAR ? (uint32_t)n - 1 : FAR);
}

void
row_fill(struct draw *d, enum dtype t, const struct row_line *l, float *v,
    size_t n, size_t step)
{
	struct row x = { .d = d, .level = l->level, .n = n };

	if (n == 0)
		return;
	x.period = l->period;
	if (x.period == 0 || x.period > ROW_PERIOD_MOST)
		x.period = draw_range(d, PERIOD_LEAST, PERIOD_MOST);
	for (size_t i = 0; i < COUNT(x.few); i++)
		x.few[i] = either(d, whole(d, l->level));
	/* One number alone is another pattern, by its magnitude as well. */
	if (fabsf(x.few[1]) == fabsf(x.few[0]))
		x.few[1] *= 2.0f;
	x.mix = draw_range(d, 1, PRIME - 1);
	x.from = draw_range(d, 1, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX);
	x.one = draw_place(d, n);
	x.two = draw_place(d, n);
	for (size_t i = 0; i < n; i++) {
		float *behind = &v[(n - 1 - i) * step];

		if (l->pattern == ROW_MIRROR && i >= n - i)
			v[i * step] = *behind;
		else if (l->pattern == ROW_AGAINST && i >= n - i)
			v[i * step] = -*behind;
		else
			v[i * step] =
			    dtype_round(t, elements[l->pattern](&x, i));
	}
}
