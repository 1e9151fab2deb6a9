/* A device's group adds by lanes, then in a tree; a vector kernel in pairs. */
#include "ops/float32_sums.h"

#include <math.h>
#include <string.h>

#define LANES       64
#define BITS        23 /* of a mantissa, less one */
#define BIAS        127
#define LEAST_GRAIN (-126)
#define MOST_GRAIN  128

static float
in_turn(const float *v, size_t n, size_t step)
{
	float s = 0.0f;

	for (size_t i = 0; i < n; i += step)
		s += v[i];
	return s;
}

static float
backwards(const float *v, size_t n)
{
	float s = 0.0f;

	for (size_t i = n; i > 0; i--)
		s += v[i - 1];
	return s;
}

/* Neighbours are added until one is left. */
static float
in_pairs(float *v, size_t n)
{
	for (; n > 1; n = (n + 1) / 2)
		for (size_t i = 0; i < (n + 1) / 2; i++)
			v[i] =
			    2 * i + 1 < n ? v[2 * i] + v[2 * i + 1] : v[2 * i];
	return n > 0 ? v[0] : 0.0f;
}

static float
by_lanes(const float *v, size_t n)
{
	float lanes[LANES];

	for (size_t i = 0; i < LANES; i++)
		lanes[i] = i < n ? in_turn(v + i, n - i, LANES) : 0.0f;
	return in_pairs(lanes, LANES);
}

float
rounded_sum(enum op_order o, float *v, size_t n)
{
	switch (o) {
	case OP_ORDER_BACKWARDS:
		return backwards(v, n);
	case OP_ORDER_LANES:
		return by_lanes(v, n);
	case OP_ORDER_PAIRS:
		return in_pairs(v, n);
	case OP_ORDER_IN_TURN:
	case OP_NORDERS:
	default:
		return in_turn(v, n, 1);
	}
}

float
rounded_exp(enum op_order o, float x)
{
	return o == OP_ORDER_BACKWARDS ? exp2f(x * 1.44269504f) : expf(x);
}

static int
grain(float v)
{
	uint32_t bits, exponent, whole;

	memcpy(&bits, &v, sizeof bits);
	exponent = bits >> BITS & 0xff;
	whole = bits & ((1u << BITS) - 1);
	if (exponent > 0)
		whole |= 1u << BITS;
	else
		exponent = 1;
	if (whole == 0)
		return MOST_GRAIN;
	return (int)exponent - BIAS - BITS + __builtin_ctz(whole);
}

int
sum_grain(const float *v, size_t n, size_t step)
{
	int least = MOST_GRAIN;

	for (size_t i = 0; i < n; i++) {
		int g = grain(v[i * step]);

		least = g < least ? g : least;
	}
	return least;
}

bool
sum_is_exact(double abs_sum, int g)
{
	return g >= LEAST_GRAIN && abs_sum <= ldexp(1.0, g + BITS + 1);
}
