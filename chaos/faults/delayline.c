/*
 * One timer, armed for the head of the queue: what came first leaves first,
 * whatever delay it has, because bytes of one answer never overtake.
 */
#include "chaos/faults/delayline.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/loop.h"
#include "base/mem.h"
#include "chaos/http/exchange.h"

#define FULL_BYTES (1u << 20) /* more than this waits for the timer */

struct waiting {
	STAILQ_ENTRY(waiting) entry;
	struct item item;
	char *raw, *data; /* owned */
	uint64_t due_us;
};

struct delayline {
	struct stage *owner;
	struct event *timer; /* owned */
	STAILQ_HEAD(, waiting) queue;
	size_t bytes;
	bool is_full; /* the source is paused */
};

static void on_timer(evutil_socket_t fd, short what, void *arg);

static struct loop *
loop_of(struct delayline *d)
{
	return exchange_loop(d->owner->exchange);
}

struct delayline *
delayline_new(struct stage *owner)
{
	struct delayline *d = xcalloc(1, sizeof *d);

	d->owner = owner;
	STAILQ_INIT(&d->queue);
	return d;
}

static void
take_first(struct delayline *d)
{
	struct waiting *w = STAILQ_FIRST(&d->queue);

	STAILQ_REMOVE_HEAD(&d->queue, entry);
	d->bytes -= w->item.raw.n;
	free(w->raw);
	free(w->data);
	free(w);
}

void
delayline_free(struct delayline *d)
{
	if (!d)
		return;
	while (!STAILQ_EMPTY(&d->queue))
		take_first(d);
	if (d->timer)
		event_free(d->timer);
	free(d);
}

static void
arm(struct delayline *d)
{
	struct waiting *w = STAILQ_FIRST(&d->queue);

	if (!w)
		return;
	if (!d->timer)
		d->timer = evtimer_new(loop_base(loop_of(d)), on_timer, d);
	loop_arm_at(d->timer, w->due_us);
}

/* Said again each time: whoever sends may have been let go on by others. */
static void
set_full(struct delayline *d, bool is_full)
{
	struct exchange *x = d->owner->exchange;

	d->is_full = is_full;
	if (d->owner->hears_client)
		exchange_hold_client(x, is_full);
	else if (is_full)
		exchange_pause(x);
	else
		exchange_drain(x);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct delayline *d = arg;
	struct waiting *w;

	(void)fd;
	(void)what;
	while ((w = STAILQ_FIRST(&d->queue)) &&
	    w->due_us <= loop_now_us(loop_of(d))) {
		stage_forward(d->owner, &w->item);
		take_first(d);
	}
	if (d->is_full && d->bytes < FULL_BYTES / 2)
		set_full(d, false);
	arm(d);
}

void
delayline_add(struct delayline *d, const struct item *it, uint64_t due_us)
{
	struct waiting *w;
	bool was_empty = STAILQ_EMPTY(&d->queue);

	if (was_empty && due_us <= loop_now_us(loop_of(d))) {
		stage_forward(d->owner, it);
		return;
	}
	w = xcalloc(1, sizeof *w);
	w->item = *it;
	/* Items borrow their bytes from whoever sends them, for the length of
	 * the call. */
	w->raw = xmemdup(it->raw.p ? it->raw.p : "", it->raw.n);
	w->data = xmemdup(it->data.p ? it->data.p : "", it->data.n);
	w->item.raw.p = w->raw;
	w->item.data.p = w->data;
	w->due_us = due_us;
	d->bytes += it->raw.n;
	if (d->bytes > FULL_BYTES)
		set_full(d, true);
	STAILQ_INSERT_TAIL(&d->queue, w, entry);
	if (was_empty)
		arm(d);
}

void *
late_stage_new(size_t bytes, const struct stage_ops *ops)
{
	struct late_stage *late = xcalloc(1, bytes);

	late->stage.ops = ops;
	late->line = delayline_new(&late->stage);
	return late;
}

void
late_stage_free(struct stage *st)
{
	struct late_stage *late = (struct late_stage *)st;

	delayline_free(late->line);
	free(late);
}
