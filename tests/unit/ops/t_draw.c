/*
 * Drawn values: a NaN is of either sign, quiet or signalling, and one
 * whatever its payload in each storage type; a row's outlier outweighs a long
 * row's error bound from its last place.
 */
#include "ops/draw.h"
#include "ops/value_classes.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS 200

static const struct {
	const char *what;
	enum values_class class;
} with_nan[] = {
	{ "one NaN", VALUES_NAN },
	{ "several NaN", VALUES_NANS },
};

static uint32_t
bits_of(float v)
{
	uint32_t b;

	memcpy(&b, &v, sizeof b);
	return b;
}

static void
draws_nans_of_both_signs(void)
{
	static const uint8_t seed[32] = "nan";
	static const uint32_t least[DTYPE_NDTYPES] = {
		[DTYPE_F32] = 0x7f800001,
		[DTYPE_F16] = 0x7c01,
		[DTYPE_BF16] = 0x7f81,
	};
	unsigned negative = 0, ones = 0, plain = 0, lost = 0, loud = 0;
	bool smallest[DTYPE_NDTYPES] = { false };
	struct draw d;

	draw_init(&d, seed, "nan");
	for (int i = 0; i < DRAWS; i++) {
		uint32_t b = bits_of(draw_nan(&d));
		float v;

		memcpy(&v, &b, sizeof v);
		negative += b >> 31;
		ones += (b & 0x7fffffffU) == 0x7fffffffU;
		plain += (b & 0x7fffffffU) == 0x7fc00000U;
		loud += (b & 0x7fc00000U) != 0x7fc00000U;
		for (int t = 0; t < DTYPE_NDTYPES; t++) {
			uint32_t stored = 0;

			lost += isnan(dtype_round((enum dtype)t, v)) ? 0 : 1;
			dtype_store((enum dtype)t, &stored, 0, v);
			if (stored == least[t])
				smallest[t] = true;
		}
	}
	for (int t = 0; t < DTYPE_NDTYPES; t++)
		CHECK(smallest[t], "the smallest signalling one is stored");
	CHECK(negative > DRAWS / 4 && negative < DRAWS * 3 / 4, "both signs");
	CHECK(ones > DRAWS / 8 && plain > DRAWS / 8, "the usual payloads");
	CHECK(ones + plain + loud < DRAWS, "and others that are quiet");
	CHECK(loud > DRAWS / 5, "and signalling ones");
	CHECK_INT(lost, 0, "each is one in each storage type");
}

/* Of the class, among 64 values; over the draws both signs come. */
static void
fills_with_both(size_t row, enum dtype t)
{
	static const uint8_t seed[32] = "fill";
	unsigned signs[2] = { 0 };
	float v[64];
	struct draw d;

	draw_init(&d, seed, with_nan[row].what);
	for (int i = 0; i < DRAWS; i++) {
		values_fill(&d, t, with_nan[row].class, v, 64, 1);
		for (int k = 0; k < 64; k++)
			if (isnan(v[k]))
				signs[bits_of(v[k]) >> 31]++;
	}
	CHECK(signs[0] > 0 && signs[1] > 0, with_nan[row].what);
}

/* The rest of a row, added up in float32 in the worst of orders, may be off by
 * its length's times the sum of its terms. */
static void
last_outlier_shows(enum dtype t, size_t n)
{
	static const uint8_t seed[32] = "outlier";
	float *v = xcalloc(n, sizeof *v);
	double sum = 0.0;
	struct draw d;

	draw_init(&d, seed, "outlier");
	values_fill(&d, t, VALUES_OUTLIER, v, n, 1);
	for (size_t i = 0; i < n; i++)
		sum += fabs((double)v[i]);
	CHECK((double)v[n - 1] > 2.0 * sum * (double)n * 0x1p-24,
	    "a lost last element is more than the bound");
	free(v);
}

void
t_draw(void)
{
	static const size_t lengths[] = { 8192, 16384, 65537, (1 << 20) + 3 };

	draws_nans_of_both_signs();
	for (int t = 0; t < DTYPE_NDTYPES; t++) {
		for (size_t i = 0; i < COUNT(with_nan); i++)
			fills_with_both(i, (enum dtype)t);
		for (size_t i = 0; i < COUNT(lengths); i++)
			last_outlier_shows((enum dtype)t, lengths[i]);
	}
}
