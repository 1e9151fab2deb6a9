/*
 * How late delayed bytes left: what a toxic's delay got wrong, measured where
 * they leave, so that neither the network nor a client's own clock is in it.
 * A Prometheus histogram.
 */
#ifndef CHAOS_DELAY_ERROR_H
#define CHAOS_DELAY_ERROR_H

#include <stddef.h>
#include <stdint.h>

#define DELAY_ERROR_NBOUNDS 8

/* Upper bounds of the buckets, in microseconds; what is later is in one
 * more. */
extern const uint32_t delay_error_bounds_us[DELAY_ERROR_NBOUNDS];

struct delay_error { /* zeroed: nothing yet */
	uint64_t counts[DELAY_ERROR_NBOUNDS + 1];
	uint64_t n, sum_us;
};

void delay_error_add(struct delay_error *l, uint64_t us);

#endif
