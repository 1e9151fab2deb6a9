/*
 * The test sums binomial weights; each is made from the one before it, because
 * a factorial overflows a double at 171.
 */
#include "agent/study/paired_test.h"

#include <math.h>

#define Z_95 1.959963984540054

void
paired_count(struct paired *p, bool a, bool b)
{
	p->both += a && b;
	p->only_a += a && !b;
	p->only_b += !a && b;
	p->neither += !a && !b;
}

unsigned
paired_n(const struct paired *p)
{
	return p->both + p->only_a + p->only_b + p->neither;
}

double
paired_test(const struct paired *p)
{
	unsigned n = p->only_a + p->only_b;
	unsigned less = p->only_a < p->only_b ? p->only_a : p->only_b;
	double weight = pow(0.5, n), sum = 0;

	for (unsigned i = 0; i <= less; i++) {
		sum += weight;
		weight *= (double)(n - i) / (i + 1);
	}
	return 2 * sum < 1 ? 2 * sum : 1;
}

struct paired_effect
paired_effect(const struct paired *p)
{
	double n = paired_n(p), a = p->only_a, b = p->only_b;
	/* Agresti and Min's interval: half a pair added to each of the four
	 * cells, because the plain one is too narrow for few pairs. */
	double diff = (b - a) / (n + 2);
	double spread =
	    sqrt((a + b + 1 - (b - a) * (b - a) / (n + 2))) / (n + 2) * Z_95;

	return (struct paired_effect){
		.diff = n > 0 ? (b - a) / n : 0,
		.low = fmax(diff - spread, -1),
		.high = fmin(diff + spread, 1),
	};
}
