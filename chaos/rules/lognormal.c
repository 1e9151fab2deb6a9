/*
 * The normal quantile is read from a table of 64 steps, the power of two from
 * one of 16, both with a straight line in between.
 */
#include "chaos/rules/lognormal.h"

#include <stddef.h>

#define STEPS_BITS 6
#define FRAC_BITS  16
#define LN2_MICRO  693147 /* ln 2, in millionths */

/* clang-format off */
/* The normal quantile of i/64, in thousandths; the ends stand for 3 sigma. */
static const int32_t quantiles[] = {
	-3000, -2154, -1863, -1676, -1534, -1418, -1318, -1230,
	-1150, -1078, -1010, -947, -887, -831, -776, -725,
	-674, -626, -579, -533, -489, -445, -402, -360,
	-319, -278, -237, -197, -157, -118, -78, -39,
	0, 39, 78, 118, 157, 197, 237, 278,
	319, 360, 402, 445, 489, 533, 579, 626,
	674, 725, 776, 831, 887, 947, 1010, 1078,
	1150, 1230, 1318, 1418, 1534, 1676, 1863, 2154,
	3000,
};

/* 2^(i/16), in 65536ths. */
static const uint32_t powers[] = {
	65536, 68438, 71468, 74632, 77936, 81386, 84990, 88752,
	92682, 96785, 101070, 105545, 110218, 115098, 120194, 125515,
	131072,
};
/* clang-format on */

/* In thousandths. */
static int64_t
quantile(uint64_t u)
{
	size_t i = u >> (64 - STEPS_BITS);
	int64_t frac = (int64_t)(u << STEPS_BITS >> (64 - FRAC_BITS));
	int64_t lo = quantiles[i], hi = quantiles[i + 1];

	return lo + (hi - lo) * frac / (1 << FRAC_BITS);
}

/* 2^(e/65536), in 65536ths, for e from 0 to 65535. */
static uint64_t
power(uint32_t e)
{
	uint32_t i = e >> 12, frac = e & 0xfff;

	return powers[i] + (uint64_t)(powers[i + 1] - powers[i]) * frac / 4096;
}

uint64_t
lognormal(uint64_t median, int64_t sigma_milli, uint64_t u)
{
	/* sigma * z is in millionths; the exponent of two in 65536ths. */
	int64_t e = quantile(u) * sigma_milli * (1 << FRAC_BITS) / LN2_MICRO;
	int64_t whole = e >> FRAC_BITS;
	uint64_t v = median * power((uint32_t)(e & 0xffff)) >> FRAC_BITS;

	if (whole < 0)
		return whole > -64 ? v >> -whole : 0;
	/* More than 24 doublings would be minutes made of milliseconds, and
	 * might not fit. */
	return whole < 24 ? v << whole : v << 24;
}
