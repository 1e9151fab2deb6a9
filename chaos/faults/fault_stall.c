/*
 * stall{after_events|after_bytes,spread,ms}: in the middle of an answer there
 * is silence, before the event or the byte after the given number (and, with
 * spread, a drawn number more); for ms milliseconds, or without ms for ever.
 * after_bytes works on any body.
 */
#include "chaos/faults/delayline.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define EVENTS_MAX 1000000
#define BYTES_MAX  1e9
#define WAIT_MAX   3600000

struct conf {
	int64_t after_events, after_bytes; /* -1: not asked */
	int64_t spread;                    /* more by a draw up to this */
	int64_t ms;                        /* 0: for ever */
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "after_bytes",  JF_INT, 0, 0, BYTES_MAX,  offsetof(struct conf, after_bytes),  NULL },
	{ "after_events", JF_INT, 0, 0, EVENTS_MAX, offsetof(struct conf, after_events), NULL },
	{ "ms",           JF_INT, 0, 0, WAIT_MAX,   offsetof(struct conf, ms),           NULL },
	{ "spread",       JF_INT, 0, 0, EVENTS_MAX, offsetof(struct conf, spread),       NULL },
};
/* clang-format on */

struct stall {
	struct late_stage late;
	int64_t events, bytes; /* passed so far */
	int64_t more;          /* the draw of spread */
	uint64_t until_us;     /* 0: nothing waits */
	bool is_done, is_silent;
};

static void
defaults(void *conf)
{
	*(struct conf *)conf =
	    (struct conf){ .after_events = -1, .after_bytes = -1 };
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;

	if ((c->after_events >= 0) != (c->after_bytes >= 0))
		return ERR_OK;
	return why_set(why, ERR_SYNTAX,
	    "%s: expected exactly one of after_events and after_bytes",
	    pointer);
}

static bool
is_here(const struct stall *k, const struct conf *c, const struct item *it)
{
	if (c->after_bytes >= 0)
		return k->bytes + (int64_t)it->raw.n > c->after_bytes + k->more;
	return it->kind == ITEM_EVENT && it->data.n > 0 &&
	    k->events >= c->after_events + k->more;
}

/* What is before the place leaves now; silence begins. */
static struct item
begin(struct stall *k, const struct conf *c, const struct item *it)
{
	struct item before = *it, rest = *it;
	struct exchange *x = k->late.stage.exchange;
	size_t n = c->after_bytes >= 0
	    ? (size_t)(c->after_bytes + k->more - k->bytes)
	    : 0;
	json_int_t bytes = k->bytes;

	bytes += (json_int_t)n;
	k->is_done = true;
	if (!shot_fire(k->late.stage.shot,
	        json_pack("{sI sI sI}", "events", (json_int_t)k->events,
	            "bytes", bytes, "ms", (json_int_t)c->ms)))
		return rest;
	if (n) {
		before.kind = rest.kind = ITEM_BYTES;
		before.raw.n = n;
		rest.raw = (struct slice){ it->raw.p + n, it->raw.n - n };
		before.data = rest.data = slice_of(NULL);
		stage_pass(&k->late.stage, &before);
	}
	stage_note(&k->late.stage);
	k->until_us =
	    loop_now_us(exchange_loop(x)) + (uint64_t)c->ms * US_PER_MS;
	k->is_silent = c->ms == 0;
	/* Nothing that comes will ever leave, so it need not come. */
	if (k->is_silent) {
		exchange_stop_source(x);
		exchange_hush(x);
	}
	return rest;
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct stall *k = (struct stall *)st;
	const struct conf *c = shot_conf(st->shot);
	struct item now = *it;

	if (k->is_silent)
		return;
	if (it->kind == ITEM_HEAD)
		exchange_answer(st->exchange)->is_raw = true;
	else if (it->kind != ITEM_END && !k->is_done && is_here(k, c, it))
		now = begin(k, c, it);
	k->bytes += (int64_t)it->raw.n;
	k->events += it->kind == ITEM_EVENT && it->data.n > 0;
	if (!k->is_silent)
		delayline_add(k->late.line, &now, k->until_us);
}

static const struct stage_ops ops = { on_item, late_stage_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct stall *k;

	if (c->after_events >= 0 && !exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	k = late_stage_new(sizeof *k, &ops);
	k->more = (int64_t)shot_between(s, "spread", 0, (uint64_t)c->spread);
	shot_expect(s, "the answer ended before the stall");
	return &k->late.stage;
}

const struct fault_type fault_stall = {
	.name = "stall",
	.about = "silence in the middle of an answer",
	.is_piped = true,
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.schema = "{\"oneOf\":[{\"required\":[\"after_events\"]},{\"required\":"
	          "[\"after_bytes\"]}]}",
	.on_answer = on_answer,
};
