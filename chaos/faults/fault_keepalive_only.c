/*
 * keepalive_only{ms,after_events,count}: a stream that is alive and says
 * nothing: after so many events only comments come, one each ms milliseconds,
 * which keeps naive idle timers quiet.  After count comments the stream ends
 * cleanly; without count it never does.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/http/exchange.h"
#include "chaos/http/stage.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define EVENTS_MAX 1000000
#define WAIT_MAX   3600000

static const char comment[] = ": keep-alive\n\n";

struct conf {
	int64_t ms, after_events, count;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "after_events", JF_INT, 0, 0, EVENTS_MAX, offsetof(struct conf, after_events), NULL },
	{ "count",        JF_INT, 0, 0, EVENTS_MAX, offsetof(struct conf, count),        NULL },
	{ "ms",           JF_INT, 0, 1, WAIT_MAX,   offsetof(struct conf, ms),           NULL },
};
/* clang-format on */

struct keepalive {
	struct stage stage;
	struct event *timer; /* owned */
	int64_t events, sent;
	bool is_off, is_begun;
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->ms = 1000;
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct keepalive *k = arg;
	const struct conf *c = shot_conf(k->stage.shot);
	struct item it = { .kind = ITEM_EVENT, .raw = slice_of(comment) };
	struct item end = { .kind = ITEM_END, .end = ITEM_END_CLEAN };

	(void)fd;
	(void)what;
	stage_pass(&k->stage, &it);
	if (c->count && ++k->sent == c->count)
		stage_pass(&k->stage, &end);
	else
		loop_arm(k->timer, (uint64_t)c->ms * US_PER_MS);
}

static void
begin(struct keepalive *k, const struct conf *c)
{
	struct exchange *x = k->stage.exchange;

	k->is_off = !shot_fire(k->stage.shot,
	    json_pack("{sI}", "events", (json_int_t)k->events));
	if (k->is_off)
		return;
	k->is_begun = true;
	/* Before the first comment, which may be a long time off: the fault
	 * acts from now on, by what does not come. */
	stage_note(&k->stage);
	exchange_stop_source(x);
	k->timer = evtimer_new(loop_base(exchange_loop(x)), on_timer, k);
	loop_arm(k->timer, (uint64_t)c->ms * US_PER_MS);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct keepalive *k = (struct keepalive *)st;
	const struct conf *c = shot_conf(st->shot);
	/* Comments of the upstream's own are no events, or this fault would
	 * count itself. */
	bool is_event = it->kind == ITEM_EVENT && it->data.n > 0;

	if (k->is_begun)
		return;
	if (is_event && !k->is_off && k->events == c->after_events) {
		begin(k, c);
		if (k->is_begun)
			return;
	}
	k->events += is_event;
	stage_pass(st, it);
}

static void
keepalive_free(struct stage *st)
{
	struct keepalive *k = (struct keepalive *)st;

	if (k->timer)
		event_free(k->timer);
	free(k);
}

static const struct stage_ops ops = { on_item, keepalive_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct keepalive *k;

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	shot_expect(s, "the stream ended before that event");
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	return &k->stage;
}

const struct fault_type fault_keepalive_only = {
	.name = "keepalive_only",
	.about = "a stream of nothing but comments",
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
