/*
 * token_latency{latency,jitter}: time between the events of a stream: each
 * leaves at least so long after the one before, drawn anew for each.  An
 * answer that is no stream has no tokens to come slowly.
 */
#include <stdio.h>

#include "chaos/faults/delayline.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define WAIT_MAX_MS 3600000

struct conf {
	int64_t latency_ms, jitter_ms;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "jitter",  JF_INT, 0,           0, WAIT_MAX_MS, offsetof(struct conf, jitter_ms),  NULL },
	{ "latency", JF_INT, JF_REQUIRED, 0, WAIT_MAX_MS, offsetof(struct conf, latency_ms), NULL },
};
/* clang-format on */

struct slow {
	struct late_stage late;
	uint64_t last_us; /* when the event before leaves; 0: none yet */
	unsigned events;
	bool is_fired, is_over; /* is_over: a limit said no */
};

static uint64_t
draw_us(const struct slow *k)
{
	const struct conf *c = shot_conf(k->late.stage.shot);
	int64_t lo = c->latency_ms - c->jitter_ms;
	char name[24];

	snprintf(name, sizeof name, "event-%u", k->events);
	return shot_between(k->late.stage.shot, name,
	    (uint64_t)(lo > 0 ? lo : 0) * US_PER_MS,
	    (uint64_t)(c->latency_ms + c->jitter_ms) * US_PER_MS);
}

/* The second event is the first that waits. */
static uint64_t
due_us(struct slow *k, uint64_t now_us)
{
	uint64_t due = now_us;

	if (k->last_us && !k->is_fired) {
		k->is_fired = true;
		k->is_over = !shot_fire(k->late.stage.shot, NULL);
		stage_note(&k->late.stage);
	}
	if (k->last_us && !k->is_over && k->last_us + draw_us(k) > due)
		due = k->last_us + draw_us(k);
	k->last_us = due;
	k->events++;
	return due;
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct slow *k = (struct slow *)st;
	struct exchange *x = st->exchange;
	uint64_t due = loop_now_us(exchange_loop(x));

	if (it->kind == ITEM_EVENT && it->data.n > 0)
		due = due_us(k, due);
	else if (k->last_us > due)
		due = k->last_us;
	delayline_add(k->late.line, it, due);
}

static const struct stage_ops ops = { on_item, late_stage_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct slow *k;

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not a stream");
		return NULL;
	}
	k = late_stage_new(sizeof *k, &ops);
	shot_expect(s, "no second event in the stream");
	return &k->late.stage;
}

const struct fault_type fault_token_latency = {
	.name = "token_latency",
	.about = "time between the events of a stream",
	FAULT_CONF,
	.on_answer = on_answer,
};
