/*
 * Two ways of doing the same things, compared thing by thing.  Pure.
 *
 * The things on which both agree say nothing about which is better; the test
 * is exact (McNemar's: is a fair coin as uneven as only_a and only_b?), and the
 * effect is the difference of the two shares with an interval that holds for
 * few pairs (Agresti and Min 2005: half a pair added to each cell).
 */
#ifndef AGENT_PAIRED_TEST_H
#define AGENT_PAIRED_TEST_H

#include <stdbool.h>

struct paired {
	unsigned both, only_a, only_b, neither;
};

void paired_count(struct paired *p, bool a, bool b);
unsigned paired_n(const struct paired *p);

/* Two-sided, exact; 1 where they never differ. */
double paired_test(const struct paired *p);

struct paired_effect {
	double diff;      /* share of B less share of A */
	double low, high; /* 95 % */
};

struct paired_effect paired_effect(const struct paired *p);

#endif
