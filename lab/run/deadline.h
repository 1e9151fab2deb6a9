/*
 * When a child is late.
 *
 * A deadline is processor time of the child's, so that a busy machine makes
 * nobody late.  A child that sleeps uses none: it has DEADLINE_SLACK times as
 * long by the clock, which in the second half of that stands still while the
 * child waits for a processor.  (Whoever is quick is not asked how long it has
 * waited.)
 */
#ifndef LAB_DEADLINE_H
#define LAB_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#define DEADLINE_SLACK 16

struct deadline {
	uint64_t used_ms;           /* its processor time then */
	uint64_t half_ms, watch_ms; /* half of its slack, and when it is over */
	uint64_t watched_from_ms;   /* of its own clock; 0: not yet */
};

/* What has passed of a child's life: the clock, its processor time, and, once
 * deadline_asks_wait(), how long it has stood in line for a processor. */
struct deadline_now {
	uint64_t mono_ms, used_ms, waited_ms;
};

void deadline_begin(struct deadline *d, uint32_t ms,
    const struct deadline_now *now);
bool deadline_asks_wait(const struct deadline *d, uint64_t mono_ms);
/* How long it is not late for sure; 0: it is. */
uint64_t deadline_left_ms(struct deadline *d, const struct deadline_now *now);

#endif
