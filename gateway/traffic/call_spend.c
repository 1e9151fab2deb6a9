/*
 * The order that loses no money: what an attempt may cost is in the store
 * before its upstream hears of it, and what it did cost takes that place when
 * the call is over.  A gateway that is killed in between leaves the guess.
 *
 * Who may spend is decided there, too, because another gateway may spend from
 * the same budget.
 */
#include "gateway/traffic/call_priv.h"

#include "base/clock.h"
#include "base/mem.h"
#include "gateway/exchange/decision_record.h"
#include "gateway/exchange/reply.h"
#include "gateway/exchange/timers.h"
#include "gateway/store/client_keys.h"
#include "gateway/store/spend_ledger.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_S 60

bool
call_may_ask(struct call *c)
{
	if (keyring_allows(c->caller->grant, c->model))
		return true;
	return call_refuse(c, 403, "model_not_allowed",
	    "this key may not ask for that model");
}

/* ---- what is entered */

static void
add_counter(struct book_counters *all, const struct book_counter *c)
{
	if (all->n < BOOK_COUNTERS_MAX)
		all->list[all->n++] = *c;
}

/* Of a key that was handed out: its dollars, and how often it may ask. */
static void
count_grant(const struct keyring_grant *g, uint64_t now_s, int64_t nano,
    struct book_counters *all)
{
	struct book_counter rate = { BOOK_KEY_RATE, g->id,
		(int64_t)(now_s - now_s % MINUTE_S), g->rate, 1 };
	struct book_counter budget = { BOOK_KEY_BUDGET, g->id, 0,
		g->budget_nano, nano };
	uint64_t until;

	budget.span = (int64_t)keys_span(g->per_s, now_s, &until);
	if (g->rate)
		add_counter(all, &rate);
	if (g->budget_nano)
		add_counter(all, &budget);
}

/* Budgets of the configuration are shared by gateways; rates are not. */
static void
count_limits(const struct limit_hold *hold, const struct limit_use *use,
    struct book_counters *all)
{
	for (size_t i = 0; i < hold->n; i++) {
		const struct conf_limit *rule = hold->hits[i].rule;
		struct book_counter c = { BOOK_LIMIT,
			(int64_t)hold->hits[i].key,
			(int64_t)hold->hits[i].window, BOOK_NO_LIMIT,
			(int64_t)limit_amount(rule, use) };

		if (!rule->is_audit)
			c.limit = (int64_t)limit_most(rule);
		if (rule->is_budget)
			add_counter(all, &c);
	}
}

static void
count_all(const struct call *c, uint64_t now_s, const struct limit_use *use,
    struct book_counters *all)
{
	all->n = 0;
	if (c->caller->grant)
		count_grant(c->caller->grant, now_s, (int64_t)use->cost_nano,
		    all);
	count_limits(&c->hold, use, all);
}

static void
fill_entry(struct call *c, struct book_entry *e)
{
	const struct conf_target *t = call_next(c);
	struct limit_use guess = call_guess(c, t);
	struct book_counters now = { .n = 0 };

	e->nano = (int64_t)guess.cost_nano;
	if (c->spend.is_entered) { /* what was counted stays in its window */
		e->is_more = true;
		count_all(c, e->now_ms / 1000, &guess, &now);
		for (size_t i = 0; i < e->counters.n; i++)
			e->counters.list[i].amount =
			    e->counters.list[i].kind == BOOK_KEY_RATE
			    ? 0
			    : now.list[i].amount;
		return;
	}
	e->now_ms = clock_wall_ms();
	e->request = c->id;
	e->key = c->caller->grant ? c->caller->grant->name : c->caller->subject;
	e->model = c->model;
	e->target = t->name;
	count_all(c, e->now_ms / 1000, &guess, &e->counters);
}

/* ---- the store's verdict */

static void
refuse_counter(struct call *c, const struct book_counter *full)
{
	const struct keyring_grant *g = c->caller->grant;
	uint64_t now_s = clock_wall_ms() / 1000, until = now_s + 1;
	char what[CALL_MODEL_MAX];
	bool is_rate = full->kind == BOOK_KEY_RATE;

	snprintf(what, sizeof what, "of this gateway's budgets");
	if (full->kind == BOOK_LIMIT) {
		for (size_t i = 0; i < c->hold.n; i++)
			if ((int64_t)c->hold.hits[i].key == full->id)
				snprintf(what, sizeof what, "%.200s",
				    c->hold.hits[i].rule->id);
		until = now_s + MINUTE_S;
	} else if (is_rate) {
		snprintf(what, sizeof what, "of requests a minute of %s",
		    g->name);
		until = (uint64_t)full->span + MINUTE_S;
	} else {
		snprintf(what, sizeof what, "of dollars of %s", g->name);
		(void)keys_span(g->per_s, now_s, &until);
	}
	call_refuse_limit(c, !is_rate, until > now_s ? until - now_s : 1,
	    !is_rate, what);
}

static void
refuse_store(struct call *c)
{
	struct answer_stamp_error e = { 503, "store_unavailable", NULL,
		"what this would cost cannot be written down now, so nothing "
		"was asked",
		c->schema };

	/* There is no answer left to give but the last failure. */
	if (c->ntries > 0) {
		call_give_up(c, c->tries[c->ntries - 1].cause);
		return;
	}
	c->limited_s = 1;
	reply_error(c, &e);
	call_close(c, e.status, CAUSE_INVALID);
}

static void
on_verdict(void *owner, const struct ledger_verdict *v)
{
	struct call *c = owner;
	struct call_spend *b = &c->spend;

	b->waiting = NULL;
	if (v->e == ERR_DENIED && call_gives_kept(c))
		return;
	if (v->e == ERR_DENIED) {
		refuse_counter(c, &v->refused);
		return;
	}
	if (v->e != ERR_OK) {
		refuse_store(c);
		return;
	}
	b->is_entered = true;
	b->reserved += b->entry.nano;
	for (size_t i = 0; i < b->entry.counters.n; i++)
		b->counted[i] += b->entry.counters.list[i].amount;
	call_go(c);
}

void
call_reserve(struct call *c)
{
	struct ledger_verdict verdict;

	if (!c->gate->ledger || c->at >= c->order.n) {
		call_go(c);
		return;
	}
	c->spend.is_begun = true;
	fill_entry(c, &c->spend.entry);
	c->spend.waiting = ledger_reserve(c->gate->ledger, &c->spend.entry,
	    &verdict, on_verdict, c);
	if (!c->spend.waiting) {
		on_verdict(c, &verdict);
		return;
	}
	call_set_state(c, CALL_BOOKING);
	c->due.progress = c->due.attempt = c->due.rate = 0;
	timers_arm(c);
}

/* ---- the bill */

static struct book_use *
use_of(struct book_bill *bill, const char *target)
{
	for (size_t i = 0; i < bill->nuses; i++)
		if (strcmp(bill->uses[i].target, target) == 0)
			return &bill->uses[i];
	bill->uses[bill->nuses].target = target;
	return &bill->uses[bill->nuses++];
}

static void
fill_uses(const struct call *c, struct book_bill *bill)
{
	for (size_t i = 0; i < c->ntries; i++) {
		const struct call_try *t = &c->tries[i];
		struct book_use *u;

		if (!t->tokens_in && !t->tokens_out && !t->cost_nano)
			continue;
		u = use_of(bill, t->target->name);
		u->tokens_in += (int64_t)t->tokens_in;
		u->tokens_out += (int64_t)t->tokens_out;
		u->nano += (int64_t)t->cost_nano;
		bill->is_estimated |= t->is_estimated;
	}
}

static void
fill_counters(const struct call *c, struct book_bill *bill)
{
	const struct call_spend *b = &c->spend;
	struct limit_use used = call_used(c);
	struct book_counters now = { .n = 0 };

	count_all(c, b->entry.now_ms / 1000, &used, &now);
	bill->counters = b->entry.counters;
	for (size_t i = 0; i < bill->counters.n; i++)
		bill->counters.list[i].amount =
		    bill->counters.list[i].kind == BOOK_KEY_RATE
		    ? 0
		    : now.list[i].amount - b->counted[i];
}

static void
fill_bill(const struct call *c, struct book_bill *bill)
{
	const struct call_spend *b = &c->spend;

	bill->id = b->entry.id;
	bill->request = b->entry.request;
	bill->key = b->entry.key;
	bill->target = b->entry.target;
	bill->last = call_target(c)->name;
	bill->reserved = b->reserved;
	bill->ms = (int64_t)(loop_now_us(c->gate->loop) - c->started_us) / 1000;
	fill_uses(c, bill);
	fill_counters(c, bill);
}

void
call_settle(struct call *c, int status, enum cause cause)
{
	struct call_spend *b = &c->spend;
	struct book_bill bill = { .status = status,
		.outcome = cause_facts(cause)->name };
	char *asked = NULL, *answered = NULL;

	if (!b->is_entered && !b->waiting)
		return;
	fill_bill(c, &bill);
	record_take(c, &asked, &answered);
	bill.attempts = c->gate->attempts.data;
	bill.asked = asked;
	bill.answered = answered;
	if (b->waiting)
		ledger_leave(b->waiting, &bill);
	else
		ledger_settle(c->gate->ledger, &bill);
	free(asked);
	free(answered);
}
