/*
 * A table of bounds, and counts beside it: how late our own timers fire is the
 * error of every delay that is injected, so it is measured, not assumed.
 */
#include "chaos/http/delay_error.h"

const uint32_t delay_error_bounds_us[DELAY_ERROR_NBOUNDS] = { 50, 100, 200, 500,
	1000, 2000, 5000, 10000 };

void
delay_error_add(struct delay_error *l, uint64_t us)
{
	size_t i = 0;

	while (i < DELAY_ERROR_NBOUNDS && us > delay_error_bounds_us[i])
		i++;
	l->counts[i]++;
	l->n++;
	l->sum_us += us;
}
