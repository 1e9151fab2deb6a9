/*
 * How late delayed bytes left: what a toxic's delay got wrong, measured where
 * they leave, so that neither the network nor a client's own clock is in it.
 * A Prometheus histogram.
 */
#ifndef CHAOS_LATENESS_H
#define CHAOS_LATENESS_H

#include <stddef.h>
#include <stdint.h>

#define LATENESS_NBOUNDS 8

/* Upper bounds of the buckets, in microseconds; what is later is in one
 * more. */
extern const uint32_t lateness_bounds_us[LATENESS_NBOUNDS];

struct lateness { /* zeroed: nothing yet */
	uint64_t counts[LATENESS_NBOUNDS + 1];
	uint64_t n, sum_us;
};

void lateness_add(struct lateness *l, uint64_t us);

#endif
