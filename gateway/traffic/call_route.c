/*
 * Which targets are asked, in which order, and whether limits let the request
 * in at all.
 */
#include "gateway/traffic/call_priv.h"

#include "base/clock.h"
#include "base/log.h"
#include "gateway/exchange/reply.h"
#include <stdio.h>

#define GUESS_OUT 1024 /* tokens of a choice without a maximum */

/* Why a target should be asked last, NULL when it should not. */
static const char *
holdback(const struct conf_target *t, uint64_t now_ms)
{
	const struct target_health *l = t->live;

	if (l->breaker.conf.demotes && breaker_is_open(&l->breaker, now_ms))
		return "breaker";
	if (t->sla_first_token_ms &&
	    l->latency_us > t->sla_first_token_ms * 1000)
		return "sla";
	if (t->sla_per_token_ms && l->per_token_us > t->sla_per_token_ms * 1000)
		return "sla";
	return NULL;
}

/* Targets that fail or are too slow go to the end of the list. */
static void
demote(struct call *c)
{
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;
	struct route_order *o = &c->order, last = { .n = 0 };
	const char *reason, *first = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < o->n; i++) {
		reason = holdback(o->targets[i], now_ms);
		if (i == 0)
			first = reason;
		if (reason)
			last.targets[last.n++] = o->targets[i];
		else
			o->targets[kept++] = o->targets[i];
	}
	for (size_t i = 0; i < last.n; i++)
		o->targets[kept + i] = last.targets[i];
	/* Where all are held back the order stays, and nothing was rerouted. */
	if (first && kept > 0)
		c->reason = first;
}

/* Targets whose provider does not speak the API, nor the one that the question
 * can be said in, are none. */
static void
drop_mute(struct call *c)
{
	struct route_order *o = &c->order;
	size_t kept = 0;

	for (size_t i = 0; i < o->n; i++)
		if (call_can_ask(c, o->targets[i]->provider))
			o->targets[kept++] = o->targets[i];
	o->n = kept;
}

/* What 3,000 tokens in and 1,000 out cost there now; nobody knows: the most. */
static uint32_t
price_of(const struct conf_target *t)
{
	static const struct cost_usage usual = { 3000, 1000, 0 };
	uint64_t nano;

	if (!t->price)
		return UINT32_MAX;
	nano = cost_nano(t->price, &usual, clock_wall_ms() / 1000);
	return nano < UINT32_MAX ? (uint32_t)nano : UINT32_MAX;
}

/* By what the rule compares its targets. */
static uint32_t
measure(const struct conf_rule *rule, const struct conf_target *t)
{
	if (rule->kind == CONF_BUSY)
		return t->live->busy;
	return rule->kind == CONF_CHEAP ? price_of(t) : t->live->latency_us;
}

static void
order_by_rule(struct call *c, const struct route_ask *ask)
{
	uint32_t measures[CONF_TARGETS_MAX], pick = 0;
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;

	for (size_t i = 0; i < c->rule->ntargets; i++) {
		target_health_refresh(c->rule->targets[i].live, now_ms);
		measures[i] = measure(c->rule, &c->rule->targets[i]);
	}
	/* A session keeps its target; others are spread by chance. */
	if (c->rule->kind != CONF_PRIORITY &&
	    !route_session(c->rule, ask, c->started_us / 1000000, &pick))
		pick = call_random();
	route_targets(c->rule, ask, measures, pick, &c->order);
	drop_mute(c);
	demote(c);
}

bool
call_choose_targets(struct call *c)
{
	struct route_ask ask = { c->caller->subject, c->model, c->metadata,
		serve_head(c->client), c->caller->groups };

	c->reason = "configured";
	if ((c->rule = route_match(c->conf, &ask))) {
		c->terms = &c->rule->terms;
		if (c->rule->escalates)
			c->reason = "quality-escalation";
		order_by_rule(c, &ask);
	} else if ((c->direct = conf_direct_target(c->conf, c->model))) {
		c->direct->live =
		    target_health_direct(c->gate->live, c->direct->name,
		        &c->conf->terms.breaker, c->direct->provider->live);
		c->order.targets[0] = c->direct;
		c->order.n = 1;
		drop_mute(c);
	}
	if (c->order.n > 0)
		return true;
	if (c->other)
		return call_refuse(c, 400, "untranslatable",
		    c->other->why.text);
	return call_refuse(c, 404, "model_not_found",
	    c->rule || c->direct
	        ? "no provider of that model speaks this API; see apis"
	        : "no rule and no provider of this gateway serves that model");
}

/* ---- limits */

struct limit_use
call_guess(const struct call *c, const struct conf_target *t)
{
	struct output_limit limit = call_limit(c, t);
	struct cost_usage u = { c->asked_tokens, 0, 0 };

	if (c->schema->kind != SCHEMA_EMBEDDINGS)
		u.out = output_limit_each(&limit, GUESS_OUT) *
		    output_limit_choices(&limit);
	return (struct limit_use){ u.in + u.out,
		cost_nano(t->price, &u, clock_wall_ms() / 1000) };
}

bool
call_refuse_limit(struct call *c, bool is_budget, uint64_t wait_s,
    bool is_hopeless, const char *what)
{
	char message[CALL_MODEL_MAX + 128];
	struct answer_stamp_error e = { 429,
		is_budget ? "budget_exceeded" : "rate_limit_exceeded", NULL,
		message, NULL };

	snprintf(message, sizeof message, "the limit %.200s is reached", what);
	c->gate->stats.limited++;
	c->limited_s = wait_s;
	c->is_hopeless = is_hopeless;
	if (is_budget)
		c->reason = "budget";
	reply_error(c, &e);
	call_close(c, e.status, CAUSE_INVALID);
	return false;
}

/* Its window is over some time; until then it is one too many. */
static bool
refuse_crowd(struct call *c, const struct limit_refusal *r)
{
	char message[CALL_MODEL_MAX + 128];

	if (c->gate->stats.crowded++ == 0)
		log_warn("limits",
		    "%s: all counters are full or in use: who cannot be "
		    "counted is refused",
		    r->rule->id);
	snprintf(message, sizeof message,
	    "this gateway counts as many as it can for %.200s, and has no room "
	    "for one more",
	    r->rule->id);
	c->limited_s = r->wait_s;
	return call_refuse(c, 503, "too_many_counters", message);
}

bool
call_enter_limits(struct call *c)
{
	struct route_ask ask = { c->caller->subject, c->model, c->metadata,
		serve_head(c->client), c->caller->groups };
	struct limit_question q = { c->conf->limits, c->conf->nlimits, &ask,
		{ 0, 0 }, clock_wall_ms() / 1000 };
	struct limit_refusal refusal;

	if (q.n == 0)
		return true;
	/* At the price of who is asked first: nobody knows yet who will answer,
	 * and what it did cost takes this one's place at the end. */
	q.guess = call_guess(c, call_next(c));
	if (limit_enter(c->gate->limits, &q, &c->hold, &refusal) != ERR_OK)
		return refusal.is_crowded
		    ? refuse_crowd(c, &refusal)
		    : call_refuse_limit(c, refusal.rule->is_budget,
		          refusal.wait_s, limit_is_hopeless(&refusal),
		          refusal.rule->id);
	c->gate->stats.audited += refusal.rule != NULL;
	return true;
}

struct limit_use
call_used(const struct call *c)
{
	struct limit_use used = { 0, 0 };

	for (size_t i = 0; i < c->ntries; i++) {
		used.tokens += c->tries[i].tokens_in + c->tries[i].tokens_out;
		used.cost_nano += c->tries[i].cost_nano;
	}
	return used;
}

void
call_leave_limits(struct call *c)
{
	struct limit_use used = call_used(c);

	limit_leave(c->gate->limits, &c->hold, &used);
}
