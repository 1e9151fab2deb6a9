/*
 * Queues with due times, one after the other.
 *
 * A chain may be torn down by what it passes on (a write fails, the link
 * closes); links free themselves from the loop, so here nothing vanishes
 * inside a call.
 */
#include "chaos/http/toxic_tap.h"

#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "chaos/http/delay_error.h"
#include "chaos/http/toxic.h"
#include "chaos/http/toxicity.h"
#include "chaos/rules/engine.h"

#define COUNTERS 2
#define HELD     (UINT64_MAX - 1)
#define NEVER    UINT64_MAX

struct tap {
	TAILQ_ENTRY(tap) entry;
	struct tap_chain *chain;
	const struct toxic *toxic; /* borrowed */
	bool is_active;            /* touched by toxicity's draw */
	bool is_original;          /* older than the connection */
	struct chunk_queue queue;
	uint64_t end_due_us; /* NEVER: no end yet */
	bool is_over;        /* the end has left */
	uint64_t started_us, deadline_us, draws;
	uint64_t taken; /* bytes that came */
	uint64_t counters[COUNTERS];
	struct event *timer; /* owned */
};

struct tap_chain {
	struct tap_chain_conf conf;
	TAILQ_HEAD(, tap) taps;
	size_t held;
	bool is_open; /* the connection began */
	bool closes;  /* its end closes the connection */
};

static void run(struct tap *t);

struct chunk *
chunk_new(const char *p, size_t n)
{
	struct chunk *c = xmalloc(sizeof *c + n);

	c->due_us = 0;
	c->n = n;
	memcpy(c->data, p, n);
	return c;
}

/* ---- from tap to tap */

static const struct toxic_ops *
ops_of(const struct tap *t)
{
	return t->toxic->fault.type->toxic;
}

static void
give_chunk(struct tap_chain *chain, struct tap *to, struct chunk *c)
{
	if (!to) {
		chain->conf.ops->on_chunk(c, chain->conf.arg);
		return;
	}
	to->taken += c->n;
	if (to->is_over)
		free(c);
	else if (to->is_active && ops_of(to)->on_chunk)
		ops_of(to)->on_chunk(to, c);
	else
		tap_queue(to, c, 0);
}

/* What a toxic does to the end stands behind the last byte, so no byte comes
 * any more that would tell that it acted. */
static void
meet_end(struct tap *t)
{
	const struct tap_chain_ops *to = t->chain->conf.ops;

	ops_of(t)->on_end(t);
	if (to->on_end_met)
		to->on_end_met(t->chain->conf.arg);
}

static void
give_end(struct tap_chain *chain, struct tap *to)
{
	if (!to && chain->closes)
		chain->conf.ops->on_close_when_sent(chain->conf.arg);
	else if (!to)
		chain->conf.ops->on_end(chain->conf.arg);
	else if (to->is_active && ops_of(to)->on_end)
		meet_end(to);
	else
		tap_queue_end(to, 0);
}

/* ---- a tap's clock */

static void
arm(struct tap *t)
{
	struct chunk *c = STAILQ_FIRST(&t->queue);
	uint64_t at = c ? c->due_us : t->end_due_us;

	/* What is held waits for a toxic's word and for no time. */
	if (t->is_over || at >= HELD)
		at = NEVER;
	if (t->deadline_us && t->deadline_us < at)
		at = t->deadline_us;
	if (at == NEVER) {
		if (t->timer)
			evtimer_del(t->timer);
		return;
	}
	loop_arm_at(t->timer, at);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct tap *t = arg;

	(void)fd;
	(void)what;
	/* First: a deadline may close the connection, and then nothing that
	 * is due may leave any more. */
	if (t->deadline_us && t->deadline_us <= clock_mono_us()) {
		t->deadline_us = 0;
		ops_of(t)->on_deadline(t);
		return;
	}
	run(t);
	t->chain->conf.ops->on_held(t->chain->conf.arg);
}

/* Passes on what is due. */
static void
run(struct tap *t)
{
	struct tap *next = TAILQ_NEXT(t, entry);
	uint64_t now = clock_mono_us(), due;
	struct chunk *c;

	while ((c = STAILQ_FIRST(&t->queue)) && c->due_us <= now) {
		due = c->due_us;
		STAILQ_REMOVE_HEAD(&t->queue, entry);
		t->chain->held -= c->n;
		give_chunk(t->chain, next, c);
		/* What was let go of is not late. */
		if (t->chain->conf.late && due > 0)
			delay_error_add(t->chain->conf.late,
			    clock_mono_us() - due);
	}
	if (!c && t->end_due_us <= now && !t->is_over) {
		t->is_over = true;
		give_end(t->chain, next);
	}
	arm(t);
}

void
tap_queue(struct tap *t, struct chunk *c, uint64_t due_us)
{
	/* Only past an empty queue, else it would overtake what waits. */
	if (due_us == 0 && STAILQ_EMPTY(&t->queue)) {
		give_chunk(t->chain, TAILQ_NEXT(t, entry), c);
		return;
	}
	c->due_us = due_us;
	t->chain->held += c->n;
	STAILQ_INSERT_TAIL(&t->queue, c, entry);
	if (STAILQ_FIRST(&t->queue) == c)
		arm(t);
}

void
tap_queue_end(struct tap *t, uint64_t due_us)
{
	t->end_due_us = due_us;
	run(t);
}

void
tap_hold(struct tap *t, struct chunk *c)
{
	tap_queue(t, c, HELD);
}

void
tap_hold_end(struct tap *t)
{
	t->end_due_us = HELD;
}

/* Lets go of everything that waits. */
static void
let_go(struct tap *t)
{
	struct chunk *c;

	STAILQ_FOREACH(c, &t->queue, entry)
	c->due_us = 0;
	if (t->end_due_us != NEVER)
		t->end_due_us = 0;
	t->deadline_us = 0;
	run(t);
}

/* ---- for toxics */

const void *
tap_conf(const struct tap *t)
{
	return t->toxic->fault.conf;
}

uint64_t
tap_now_us(const struct tap *t)
{
	(void)t;
	return clock_mono_us();
}

uint64_t
tap_started_us(const struct tap *t)
{
	return t->started_us;
}

bool
tap_strike_at(struct tap *t, uint64_t bytes)
{
	struct shot *shot = t->toxic->shot;

	if (!shot)
		return true;
	/* A rule strikes a connection once; afterwards it goes on as it
	 * began. */
	if (shot->is_reported)
		return shot->is_active;
	shot->due_bytes = bytes;
	return shot_fire(shot, fault_numbers(&t->toxic->fault));
}

bool
tap_strike(struct tap *t)
{
	return tap_strike_at(t, t->taken);
}

uint64_t
tap_between(struct tap *t, uint64_t lo, uint64_t hi)
{
	struct fire_draw d = t->chain->conf.decide;
	char draw[32];

	/* Under a rule the draw is the rule's, so that plan can foretell it;
	 * a toxic made by hand has only its name. */
	if (t->toxic->shot) {
		snprintf(draw, sizeof draw, "toxic.%" PRIu64, ++t->draws);
		return shot_between(t->toxic->shot, draw, lo, hi);
	}
	d.rule = t->toxic->name;
	d.attempt = ++t->draws;
	return fire_draw_between(&d, "toxic", lo, hi);
}

void
tap_set_deadline(struct tap *t, uint64_t at_us)
{
	t->deadline_us = at_us;
	arm(t);
}

bool
tap_is_original(const struct tap *t)
{
	return t->is_original;
}

bool
tap_is_strict(const struct tap *t)
{
	return t->chain->conf.is_strict;
}

uint64_t *
tap_counter(struct tap *t, size_t i)
{
	return &t->counters[i];
}

void
tap_close(struct tap *t)
{
	t->chain->conf.ops->on_close(false, t->chain->conf.arg);
}

void
tap_reset(struct tap *t)
{
	t->chain->conf.ops->on_close(true, t->chain->conf.arg);
}

void
tap_close_when_sent(struct tap *t)
{
	t->is_over = true;
	t->chain->closes = true;
	give_end(t->chain, TAILQ_NEXT(t, entry));
}

/* ---- the chain */

struct tap_chain *
tap_chain_new(const struct tap_chain_conf *conf)
{
	struct tap_chain *c = xcalloc(1, sizeof *c);

	c->conf = *conf;
	TAILQ_INIT(&c->taps);
	return c;
}

void
tap_chain_open(struct tap_chain *c)
{
	c->is_open = true;
}

static void
tap_free(struct tap *t)
{
	struct chunk *c;

	while ((c = STAILQ_FIRST(&t->queue))) {
		STAILQ_REMOVE_HEAD(&t->queue, entry);
		free(c);
	}
	event_free(t->timer);
	free(t);
}

void
tap_chain_free(struct tap_chain *c)
{
	struct tap *t, *next;

	if (!c)
		return;
	for (t = TAILQ_FIRST(&c->taps); t; t = next) {
		next = TAILQ_NEXT(t, entry);
		tap_free(t);
	}
	free(c);
}

static struct tap *
find(struct tap_chain *c, const struct toxic *toxic)
{
	struct tap *t;

	TAILQ_FOREACH(t, &c->taps, entry)
		if (t->toxic == toxic)
			return t;
	return NULL;
}

static void
switch_tap(struct tap *t)
{
	bool is_active = toxicity_touches(t->toxic, &t->chain->conf.decide) &&
	    (ops_of(t)->strikes_late || tap_strike(t));

	if (is_active == t->is_active)
		return;
	t->is_active = is_active;
	t->started_us = clock_mono_us();
	if (is_active && ops_of(t)->on_start)
		ops_of(t)->on_start(t);
	if (!is_active)
		let_go(t);
}

void
tap_chain_add(struct tap_chain *c, const struct toxic *toxic)
{
	struct tap *t = xcalloc(1, sizeof *t);

	t->chain = c;
	t->toxic = toxic;
	t->is_original = !c->is_open;
	t->end_due_us = NEVER;
	STAILQ_INIT(&t->queue);
	t->timer = evtimer_new(c->conf.base, on_timer, t);
	TAILQ_INSERT_TAIL(&c->taps, t, entry);
	switch_tap(t);
}

void
tap_chain_remove(struct tap_chain *c, const struct toxic *toxic)
{
	struct tap *t = find(c, toxic);

	if (!t)
		return;
	if (t->is_active && ops_of(t)->on_stop)
		ops_of(t)->on_stop(t);
	let_go(t);
	TAILQ_REMOVE(&c->taps, t, entry);
	tap_free(t);
	c->conf.ops->on_held(c->conf.arg);
}

void
tap_chain_change(struct tap_chain *c, const struct toxic *toxic)
{
	struct tap *t = find(c, toxic);

	if (!t)
		return;
	switch_tap(t);
	if (t->is_active && ops_of(t)->on_change)
		ops_of(t)->on_change(t);
}

void
tap_chain_feed(struct tap_chain *c, struct chunk *chunk)
{
	give_chunk(c, TAILQ_FIRST(&c->taps), chunk);
}

void
tap_chain_end(struct tap_chain *c)
{
	give_end(c, TAILQ_FIRST(&c->taps));
}

bool
tap_chain_swallows(const struct tap_chain *c)
{
	const struct tap *t;

	TAILQ_FOREACH(t, &c->taps, entry)
		if (t->is_active && ops_of(t)->swallows)
			return true;
	return false;
}

bool
tap_chain_is_empty(const struct tap_chain *c)
{
	return TAILQ_EMPTY(&c->taps);
}

size_t
tap_chain_held(const struct tap_chain *c)
{
	return c->held;
}
