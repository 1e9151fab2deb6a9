/* See the header. */
#include "lab/run/deadline.h"

void
deadline_begin(struct deadline *d, uint32_t ms, const struct deadline_now *now)
{
	*d = (struct deadline){ .used_ms = now->used_ms + ms,
		.half_ms = (uint64_t)ms * DEADLINE_SLACK / 2 };
	d->watch_ms = now->mono_ms + d->half_ms;
}

bool
deadline_asks_wait(const struct deadline *d, uint64_t mono_ms)
{
	return mono_ms >= d->watch_ms;
}

static uint64_t
slack_left_ms(struct deadline *d, const struct deadline_now *now)
{
	uint64_t own_ms = now->mono_ms - now->waited_ms, end_ms;

	if (!deadline_asks_wait(d, now->mono_ms))
		return d->watch_ms - now->mono_ms;
	if (d->watched_from_ms == 0)
		d->watched_from_ms = own_ms;
	/* A wait is counted when it ends: the clock may even go back by what it
	 * had lasted before anybody asked. */
	end_ms = d->watched_from_ms + d->half_ms;
	return own_ms < end_ms ? end_ms - own_ms : 0;
}

/* A child has one thread, which uses no more processor time than the clock
 * shows. */
uint64_t
deadline_left_ms(struct deadline *d, const struct deadline_now *now)
{
	uint64_t slack = slack_left_ms(d, now);
	uint64_t unused =
	    d->used_ms > now->used_ms ? d->used_ms - now->used_ms : 0;

	return unused < slack ? unused : slack;
}
