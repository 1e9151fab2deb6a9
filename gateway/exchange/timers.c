/*
 * All deadlines of a call share one event.  Deadlines move at every event of
 * a stream; the event is only touched when it would fire too late, and looks
 * again when it fires too early.  A call that ends leaves it armed for the
 * call that takes its place: answers are faster than deadlines.
 */
#include "gateway/exchange/timers.h"

#include "gateway/decisions/silence_limit.h"
#include <sys/time.h>

uint64_t
timers_idle_us(const struct call *c)
{
	size_t next = c->at + 1;
	/* Only who can go on from here is a next one. */
	bool has_next = c->is_begun ? call_goes_on(c, next) : next < c->order.n;

	return (uint64_t)silence_limit_ms(c->terms->timers.idle_ms,
	           call_left_ms(c), has_next) *
	    1000;
}

static uint64_t
earliest(const struct call_deadlines *d)
{
	const uint64_t all[] = { d->attempt, d->progress, d->wait, d->linger,
		d->rate, d->comment };
	uint64_t at = d->total;

	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i] && (!at || all[i] < at))
			at = all[i];
	return at;
}

bool
timers_is_over(uint64_t deadline, uint64_t now)
{
	return deadline && now >= deadline;
}

/* A window of the minimum rate begins with the first payload; time that a
 * slow client takes does not count. */
static void
begin_window(struct call *c)
{
	c->rate_events = c->commit.events;
	c->due.rate =
	    loop_now_us(c->gate->loop) + (uint64_t)c->conf->rate_ms * 1000;
}

/* An event with payload is about a token. */
bool
timers_is_slow(struct call *c)
{
	uint64_t made = c->commit.events - c->rate_events;
	uint64_t want = (uint64_t)(c->conf->rate_tokens_s * c->conf->rate_ms);

	if (c->fetch && !c->is_paused && !c->commit.is_done &&
	    made * 1000 < want)
		return true;
	begin_window(c);
	return false;
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct call *c = arg;

	(void)fd;
	(void)what;
	c->armed_us = 0;
	if (c->state == CALL_ENDED)
		return;
	c->on->on_due(c, loop_now_us(c->gate->loop));
}

void
timers_init(struct call *c)
{
	evtimer_assign(&c->timer, loop_base(c->gate->loop), on_timer, c);
}

void
timers_arm(struct call *c)
{
	uint64_t at, silence;

	if (c->conf->rate_ms && !c->due.rate && c->commit.events > 0)
		begin_window(c);
	at = earliest(&c->due);
	if (!at || (c->armed_us && c->armed_us <= at))
		return;
	/* The first byte will want no more than the time between two. */
	silence = loop_now_us(c->gate->loop) + timers_idle_us(c);
	if (!c->armed_us && silence < at)
		at = silence;
	/* A millisecond more, so that it does not fire just too early. */
	loop_arm_at(&c->timer, at + US_PER_MS);
	c->armed_us = at;
}

void
timers_done(struct call *c)
{
	evtimer_del(&c->timer);
}
