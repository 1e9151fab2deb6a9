/*
 * Counters live in a table of fixed size, found by a hash of rule and key: a
 * flood of users cannot grow it.  Where a row of it is full of counters that
 * still run, a newcomer takes the place of the one that has come least near to
 * its limit, of several the one that was asked for longest ago; never of one
 * that is full, or that a request under way counts in.  Where all are such,
 * nothing more is counted, and so nothing is let in.
 */
#include "gateway/routing/limit.h"

#include "base/mem.h"
#include "base/metadata_header.h"
#include "gateway/decisions/budget_window.h"
#include <stdlib.h>
#include <string.h>

#define ROWS       4096
#define WAYS       16
#define PATIENCE_S 60 /* what clients wait */

struct counter {
	uint64_t key, window; /* 0: free; the window's first second */
	uint64_t until;
	uint64_t used, most, seen; /* seen: the table's clock */
	uint64_t held;             /* requests that are under way */
};

struct limit_table {
	uint64_t clock, displaced;
	struct counter rows[ROWS][WAYS];
};

struct limit_table *
limit_table_new(void)
{
	return xcalloc(1, sizeof(struct limit_table));
}

void
limit_table_free(struct limit_table *t)
{
	free(t);
}

/* ---- keys and windows */

static uint64_t
mix(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

static const char *
value_of(const char *name, const struct route_ask *ask)
{
	const char *value;

	if (strcmp(name, "user") == 0)
		return ask->subject;
	if (strcmp(name, "model") == 0)
		return ask->model;
	value = metadata_header_get(ask->metadata, name + strlen("metadata."));
	return value ? value : "";
}

static uint64_t
key_of(const struct conf_limit *rule, const struct route_ask *ask)
{
	uint64_t h = mix(UINT64_C(0xcbf29ce484222325), rule->id);

	for (const struct ynode *n =
	         rule->applies_per ? rule->applies_per->first : NULL;
	     n; n = n->next)
		h = mix(h, value_of(n->text, ask));
	/* 0 marks a free counter. */
	return h ? h : 1;
}

/* How near it is to its limit; one who must stay is beyond it. */
static double
weight_of(const struct counter *c)
{
	return c->held > 0 || c->used >= c->most
	    ? 2
	    : (double)c->used / (double)c->most;
}

static bool
goes_before(const struct counter *a, const struct counter *b)
{
	double mine = weight_of(a), others = weight_of(b);

	return mine < others || (mine == others && a->seen < b->seen);
}

/* The key's own, or one that may become it; NULL: none may. */
static struct counter *
find_counter(struct limit_table *t, uint64_t key, uint64_t now_s)
{
	struct counter *row = t->rows[key % ROWS], *best = row;

	for (size_t i = 0; i < WAYS; i++)
		if (row[i].key == key)
			return &row[i];
	for (size_t i = 0; i < WAYS; i++)
		if (row[i].key == 0 || row[i].until <= now_s)
			return &row[i];
	for (size_t i = 1; i < WAYS; i++)
		if (goes_before(&row[i], best))
			best = &row[i];
	if (weight_of(best) >= 1)
		return NULL;
	t->displaced++;
	return best;
}

static struct counter *
open_counter(struct limit_table *t, const struct conf_limit *rule, uint64_t key,
    uint64_t now_s)
{
	struct counter *c = find_counter(t, key, now_s);
	uint64_t from, until;

	if (!c)
		return NULL;
	window_of(rule->window_s, now_s, &from, &until);
	if (c->key != key || c->until <= now_s || c->window != from)
		*c = (struct counter){ .key = key,
			.window = from,
			.until = until };
	c->most = limit_most(rule);
	c->seen = ++t->clock;
	return c;
}

/* When the first of a row that is full is over. */
static uint64_t
wait_for_row(const struct limit_table *t, uint64_t key, uint64_t now_s)
{
	const struct counter *row = t->rows[key % ROWS];
	uint64_t first = row[0].until;

	for (size_t i = 1; i < WAYS; i++)
		if (row[i].until < first)
			first = row[i].until;
	return first > now_s ? first - now_s : 1;
}

uint64_t
limit_displaced(const struct limit_table *t)
{
	return t->displaced;
}

/* ---- a request */

uint64_t
limit_amount(const struct conf_limit *rule, const struct limit_use *use)
{
	const uint64_t amounts[CONF_NCOUNTED] = {
		[CONF_REQUESTS] = 1,
		[CONF_TOKENS] = use->tokens,
		[CONF_COST] = use->cost_nano,
	};

	return amounts[rule->counted];
}

uint64_t
limit_most(const struct conf_limit *rule)
{
	double scale = rule->counted == CONF_COST ? COST_USD : 1;

	return (uint64_t)(rule->limit_to * scale);
}

static const struct conf_limit *
first_match(const struct conf_limit *rules, size_t n, bool budget,
    const struct route_ask *ask)
{
	for (size_t i = 0; i < n; i++)
		if (rules[i].is_budget == budget &&
		    route_when(rules[i].subjects, rules[i].models,
		        rules[i].metadata, ask))
			return &rules[i];
	return NULL;
}

/* Requests are counted whole; of tokens and dollars the limit may be passed
 * by the last request that was let in, never by one after it. */
static bool
take(struct limit_table *t, const struct conf_limit *rule,
    const struct limit_question *q, struct limit_hold *hold,
    struct limit_refusal *refusal)
{
	uint64_t key = key_of(rule, q->who);
	struct counter *c = open_counter(t, rule, key, q->now_s);
	uint64_t reserved = limit_amount(rule, &q->guess);

	if (!c && rule->is_audit)
		return true;
	if (!c) {
		*refusal = (struct limit_refusal){ rule,
			wait_for_row(t, key, q->now_s), true };
		return false;
	}
	if (c->used >= limit_most(rule)) {
		*refusal =
		    (struct limit_refusal){ rule, c->until - q->now_s, false };
		if (!rule->is_audit)
			return false;
	}
	/* Counted now and corrected at the end: requests that are under way
	 * together must see each other. */
	c->used += reserved;
	c->held++;
	hold->hits[hold->n++] =
	    (struct limit_hit){ rule, c->key, c->window, reserved };
	return true;
}

/* Puts what was used in the place of what was reserved. */
static void
settle(struct limit_table *t, const struct limit_hit *hit, uint64_t used)
{
	struct counter *row = t->rows[hit->key % ROWS];

	for (size_t i = 0; i < WAYS; i++) {
		struct counter *c = &row[i];

		if (c->key != hit->key || c->window != hit->window)
			continue;
		c->used -= c->used < hit->reserved ? c->used : hit->reserved;
		c->used += used;
		c->held--;
	}
}

enum err
limit_enter(struct limit_table *t, const struct limit_question *q,
    struct limit_hold *hold, struct limit_refusal *refusal)
{
	const struct conf_limit *rule;

	hold->n = 0;
	refusal->rule = NULL;
	for (int budget = 0; budget < 2; budget++) {
		rule = first_match(q->rules, q->n, budget, q->who);
		if (!rule || take(t, rule, q, hold, refusal))
			continue;
		/* What the limit let in is no use of it when the budget
		 * turns the request away. */
		for (size_t i = 0; i < hold->n; i++)
			settle(t, &hold->hits[i], 0);
		hold->n = 0;
		return ERR_DENIED;
	}
	return ERR_OK;
}

bool
limit_is_hopeless(const struct limit_refusal *r)
{
	return !r->is_crowded && (r->rule->is_budget || r->wait_s > PATIENCE_S);
}

void
limit_leave(struct limit_table *t, struct limit_hold *hold,
    const struct limit_use *used)
{
	for (size_t i = 0; i < hold->n; i++)
		settle(t, &hold->hits[i],
		    limit_amount(hold->hits[i].rule, used));
	hold->n = 0;
}
