/*
 * Every pattern is what its line in ops/row_patterns.h says, in each storage
 * type, at any width and step; and twins differ where their sums do not.
 */
#include "ops/row_patterns.h"

#include "base/units.h"
#include "ops/near_values.h"
#include "tests/unit.h"
#include <math.h>
#include <stdio.h>

#define N    ((size_t)256)
#define STEP 3

static bool
is_level(const float *v, size_t i)
{
	return v[i] == 2.0f;
}

static bool
is_sign(const float *v, size_t i)
{
	return fabsf(v[i]) == 2.0f;
}

static bool
turns(const float *v, size_t i)
{
	return v[i] == (i % 2 ? -2.0f : 2.0f);
}

static bool
is_bit(const float *v, size_t i)
{
	return v[i] == 0.0f || v[i] == 2.0f;
}

static bool
rises(const float *v, size_t i)
{
	return v[i] == 2.0f * (float)i;
}

static bool
falls(const float *v, size_t i)
{
	return v[i] == 2.0f * (float)(N - 1 - i);
}

static bool
goes_by_stairs(const float *v, size_t i)
{
	size_t stair = i / 16;

	return v[i] == 2.0f * (float)stair;
}

static bool
mirrors(const float *v, size_t i)
{
	return v[i] == v[N - 1 - i];
}

static bool
is_against(const float *v, size_t i)
{
	return v[i] == -v[N - 1 - i];
}

static bool
is_whole(const float *v, size_t i)
{
	return v[i] == rintf(v[i]) && v[i] != 0.0f && fabsf(v[i]) <= 2.0f;
}

static bool
is_fixed(const float *v, size_t i)
{
	return v[i] * 256.0f == rintf(v[i] * 256.0f) && v[i] != 0.0f &&
	    fabsf(v[i]) <= 2.0f;
}

static bool
has_half(const float *v, size_t i)
{
	size_t four = i / 4 * 4, n = 0;

	for (size_t k = 0; k < 4; k++)
		n += v[four + k] == 0.0f;
	return n == 2;
}

static bool
has_quarter(const float *v, size_t i)
{
	return (v[i] != 0.0f) == (i % 4 == 3);
}

static bool
is_pair(const float *v, size_t i)
{
	return (i < 2 || v[i / 2 * 2 - 1] != v[i]) && v[i / 2 * 2] == v[i];
}

static bool
is_of_64(const float *v, size_t i)
{
	return (i < 64 || v[i / 64 * 64 - 1] != v[i]) && v[i / 64 * 64] == v[i];
}

static bool
halves(const float *v, size_t i)
{
	return v[i] == (i < N / 2 ? 0.0f : 2.0f);
}

static bool
doubles(const float *v, size_t i)
{
	return i == 0 || i >= 100 || v[i] == 2.0f * v[i - 1];
}

static bool
crosses(const float *v, size_t i)
{
	return (i == 0 || v[i] == v[i - 1] + 2.0f) && v[0] < 0.0f &&
	    v[N - 1] >= 0.0f;
}

static bool
is_behind_first(const float *v, size_t i)
{
	return i == 0 ? v[i] == 2000.0f : fabsf(v[i]) == 1.0f;
}

static bool
grows(const float *v, size_t i)
{
	return i < 2 || v[i] - 2 * v[i - 1] + v[i - 2] == 2.0f;
}

/* Once it has begun it goes on. */
static bool
is_padded(const float *v, size_t i)
{
	return v[0] != 0.0f && (v[i] != 0.0f || i + 1 == N || v[i + 1] == 0.0f);
}

static bool
is_masked(const float *v, size_t i)
{
	return !isinf(v[0]) && (!isinf(v[i]) || i + 1 == N || isinf(v[i + 1]));
}

static const struct {
	enum row_pattern pattern;
	bool (*holds)(const float *v, size_t i);
} rows[] = {
	{ ROW_LEVEL, is_level },
	{ ROW_SIGNS, is_sign },
	{ ROW_TURNS, turns },
	{ ROW_BITS, is_bit },
	{ ROW_ONE, is_bit },
	{ ROW_TWO, is_bit },
	{ ROW_RISES, rises },
	{ ROW_FALLS, falls },
	{ ROW_STAIRS, goes_by_stairs },
	{ ROW_PERIOD, is_whole },
	{ ROW_MIRROR, mirrors },
	{ ROW_FEW, is_whole },
	{ ROW_WHOLE, is_whole },
	{ ROW_FIXED, is_fixed },
	{ ROW_HALF_ZERO, has_half },
	{ ROW_QUARTER, has_quarter },
	{ ROW_SMALL, is_whole },
	{ ROW_PAIRS, is_pair },
	{ ROW_GROUPS, is_of_64 },
	{ ROW_HALVES, halves },
	{ ROW_AGAINST, is_against },
	{ ROW_OCTAVES, doubles },
	{ ROW_CROSSES, crosses },
	{ ROW_FIRST, is_behind_first },
	{ ROW_SQUARES, grows },
	{ ROW_PADDED, is_padded },
	{ ROW_MASKED, is_masked },
};

static void
check_row(struct draw *d, size_t nth)
{
	const struct row_line line = { .pattern = rows[nth].pattern,
		.level = 2.0f };
	float v[N], apart[N * STEP] = { 0 };
	size_t marks = 0, right = 0;
	char name[32];

	snprintf(name, sizeof name, "pattern %d", (int)line.pattern);
	row_fill(d, DTYPE_F32, &line, v, N, 1);
	for (size_t i = 0; i < N; i++) {
		right += rows[nth].holds(v, i);
		marks += v[i] != 0.0f;
	}
	CHECK_INT(right, N, name);
	CHECK(line.pattern != ROW_ONE || marks == 1, name);
	CHECK(line.pattern != ROW_TWO || (marks > 0 && marks <= 2), name);
	row_fill(d, DTYPE_F32, &line, apart, N, STEP);
	for (size_t i = 0; i < N * STEP; i++)
		CHECK(i % STEP == 0 || apart[i] == 0.0f, name);
}

/* One element, none, and more than a storage type has numbers for. */
static void
check_widths(struct draw *d)
{
	float v[2000];

	for (int t = 0; t < DTYPE_NDTYPES; t++)
		for (int p = 0; p < ROW_NPATTERNS; p++)
			for (size_t n = 0; n <= COUNT(v);
			     n = n < 3 ? n + 1 : n * 9) {
				const struct row_line line = {
					.pattern = (enum row_pattern)p,
					.level = 0.5f,
					.period = 7
				};

				row_fill(d, (enum dtype)t, &line, v, n, 1);
				for (size_t i = 0; i < n; i++)
					CHECK(dtype_round((enum dtype)t,
					          v[i]) == v[i],
					    "of the storage type");
			}
}

static double
sum_of_powers(const float *v, size_t n, int power)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += pow((double)v[i], power);
	return s;
}

static void
check_twins(struct draw *d)
{
	float one[40], other[40];
	unsigned alike = 0, differ = 0;

	for (int k = 0; k < 50; k++) {
		near_twins(d, DTYPE_F32, one, other, COUNT(one));
		for (size_t i = 0; i < COUNT(one); i++)
			differ += one[i] != other[i];
		CHECK(sum_of_powers(one, COUNT(one), 1) ==
		        sum_of_powers(other, COUNT(one), 1),
		    "their sums");
		CHECK(one[0] == other[0] && one[39] == other[39], "their ends");
		alike += sum_of_powers(one, COUNT(one), 5) ==
		    sum_of_powers(other, COUNT(one), 5);
	}
	CHECK(alike > 10 && alike < 40, "of their fifth powers, some");
	CHECK(differ > 50, "they differ");
	near_twins(d, DTYPE_F32, one, other, 5);
	CHECK(one[0] == other[4], "short ones are the same from behind");
}

void
t_row_patterns(void)
{
	static const uint8_t seed[32] = "row patterns";
	struct draw d;

	draw_init(&d, seed, "rows");
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(&d, i);
	check_widths(&d);
	check_twins(&d);
}
