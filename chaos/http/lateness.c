/*
 * A table of bounds, and counts beside it: how late our own timers fire is the
 * error of every delay that is injected, so it is measured, not assumed.
 */
#include "chaos/http/lateness.h"

const uint32_t lateness_bounds_us[LATENESS_NBOUNDS] = { 50, 100, 200, 500, 1000,
	2000, 5000, 10000 };

void
lateness_add(struct lateness *l, uint64_t us)
{
	size_t i = 0;

	while (i < LATENESS_NBOUNDS && us > lateness_bounds_us[i])
		i++;
	l->counts[i]++;
	l->n++;
	l->sum_us += us;
}
