/*
 * Who is asked, and what follows from a failure: the same target again, the
 * next one, one that goes on from what the client has, or the end.
 */
#include "gateway/traffic/call_priv.h"

#include "gateway/decisions/retry.h"
#include "gateway/exchange/answer_quality.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/decision_record.h"
#include "gateway/exchange/reply.h"
#include "gateway/exchange/timers.h"
#include "gateway/routing/provider_keys.h"
#include <stdio.h>
#include <string.h>

/* ---- asking */

/* Notes a target that was not asked at all. */
static void
note_held_off(struct call *c, const struct conf_target *t, enum cause why)
{
	t->live->causes[why]++;
	if (c->ntries < CALL_TRIES_MAX)
		c->tries[c->ntries++] =
		    (struct call_try){ .target = t, .cause = why };
	c->reason = cause_facts(why)->name;
}

/* The next target that is up and whose breaker lets a request pass; NULL: none
 * is left. */
static const struct conf_target *
enter_target(struct call *c)
{
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;

	for (; c->at < c->order.n; c->at++, c->tries_here = 0) {
		const struct conf_target *t = c->order.targets[c->at];

		if (c->is_begun && !call_can_continue(c, c->at))
			continue;
		if (target_health_is_down(t->live)) {
			note_held_off(c, t, CAUSE_DOWN);
			continue;
		}
		if (breaker_enter(&t->live->breaker, now_ms, &c->pass) ||
		    t->live->breaker.conf.demotes)
			return t;
		note_held_off(c, t, CAUSE_BREAKER);
	}
	return NULL;
}

const struct conf_target *
call_next(const struct call *c)
{
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;

	for (size_t i = c->at; i < c->order.n; i++) {
		const struct conf_target *t = c->order.targets[i];
		const struct breaker *b = &t->live->breaker;

		if ((!c->is_begun || call_can_continue(c, i)) &&
		    !target_health_is_down(t->live) &&
		    (b->conf.demotes || !breaker_is_open(b, now_ms)))
			return t;
	}
	return call_target(c);
}

static enum cause
last_real_cause(const struct call *c)
{
	for (size_t i = c->ntries; i > 0; i--)
		if (!cause_is_unasked(c->tries[i - 1].cause))
			return c->tries[i - 1].cause;
	return c->ntries > 0 ? c->tries[c->ntries - 1].cause : CAUSE_BREAKER;
}

void
call_give_up(struct call *c, enum cause cause)
{
	int status;

	if (call_gives_kept(c))
		return;
	if (c->is_begun || c->is_headed) {
		call_break(c, cause);
		return;
	}
	status = reply_failure(c, cause);
	call_close(c, status, cause);
}

void
call_ask(struct call *c)
{
	call_reserve(c);
}

void
call_go(struct call *c)
{
	const struct conf_target *t = enter_target(c);
	struct answer_stamp_error e = { 413, "body_too_big", NULL,
		"the request is too big once it is rewritten", NULL };

	if (!t) {
		call_give_up(c, last_real_cause(c));
		return;
	}
	record_reset(c);
	/* The same try, with another key. */
	if (c->is_key_refused)
		c->is_key_refused = false;
	else if (c->tries_here++ == 0) {
		c->keys_refused = 0;
		retry_budget_earn(&t->live->retries);
	}
	if (attempt_begin(c, t) == ERR_OK)
		return;
	breaker_leave(&t->live->breaker, &c->pass);
	if (call_gives_kept(c))
		return;
	/* The client has a part of an answer: it can only be broken off. */
	if (c->is_begun || c->is_headed) {
		call_break(c, CAUSE_TOO_BIG);
		return;
	}
	reply_error(c, &e);
	call_close(c, e.status, CAUSE_INVALID);
}

/* ---- how it went */

static void
tell_health(struct call *c, struct target_health *l, enum cause cause)
{
	uint64_t now_us = loop_now_us(c->gate->loop);
	const struct target_health_end end = {
		.cause = cause,
		.status = c->status,
		.now_ms = now_us / 1000,
		.retry_after_ms = c->retry_after_ms,
		.waited_us = now_us - c->try_started_us,
		.patience_us = c->patience_us,
		.is_clients_limit =
		    c->is_hurried || c->first_token_ms || c->sdk_ms,
		.is_hurried = c->is_hurried,
		.is_key_refused = c->is_key_refused,
	};

	target_health_ended(l, &end, &c->pass);
}

void
call_note(struct call *c, enum cause cause)
{
	const struct conf_target *t = call_target(c);
	struct call_try spare = { .target = t }, *try;

	c->is_noted = true;
	tell_health(c, t->live, cause);

	try = c->ntries < CALL_TRIES_MAX ? &c->tries[c->ntries++] : &spare;
	*try = (struct call_try){ .target = t };
	try->cause = cause;
	try->status = c->status;
	try->at_us = (uint32_t)(c->try_started_us - c->started_us);
	try->us = loop_now_us(c->gate->loop) - c->try_started_us;
	record_usage(c, cause, try);
}

/* ---- what follows */

static void
wait_for_retry(struct call *c, int64_t wait_ms)
{
	uint64_t now = loop_now_us(c->gate->loop);

	call_set_state(c, CALL_WAITING);
	c->due.progress = c->due.attempt = 0;
	c->due.wait = now + (uint64_t)wait_ms * 1000;
	timers_arm(c);
}

/* The target's policy, with what the client wishes and repeats. */
static struct retry_conf
retry_policy(const struct call *c)
{
	struct retry_conf policy = call_target(c)->retry;

	if (c->retry) {
		policy.retries = c->retry->retries;
		policy.delay_ms = c->retry->delay_ms;
		policy.on = c->retry->on;
	}
	policy.retries = retry_shared(policy.retries, c->client_retries);
	/* It is asked no more; somebody else may be. */
	if (c->is_final ||
	    (c->is_escalated && !quality_affords(c, call_used(c).cost_nano)))
		policy.retries = 0;
	return policy;
}

/* The next target with room for a request that was too long here. */
static bool
find_room(struct call *c)
{
	int64_t had = call_target(c)->context_tokens;

	for (size_t i = c->at + 1; i < c->order.n; i++) {
		if (c->order.targets[i]->context_tokens <= had)
			continue;
		c->at = i - 1; /* of those before it nobody has more */
		return true;
	}
	return false;
}

/* Behind a block of text a call may have been next, of which nobody who goes on
 * from the text would know: an end without it would be short in silence. */
static bool
may_lack_call(const struct call *c)
{
	return (continuation_is_between(&c->spoken) ||
	           (c->told_as && translation_stream_is_between(c->told_as))) &&
	    continuation_may_call(c->peek);
}

/*
 * The client has the beginning of an answer.  Whoever can go on from exactly
 * that text may: another target, or this one again.  True: somebody is asked.
 */
static bool
go_on(struct call *c, enum cause cause, const struct retry_conf *policy)
{
	char note[512];
	size_t next = c->at + 1;

	if (cause == CAUSE_DEADLINE || c->ntries >= CALL_TRIES_MAX ||
	    call_left_ms(c) == 0 || !continuation_can_go_on(&c->spoken) ||
	    !c->peek || !continuation_is_question(c->peek) ||
	    may_lack_call(c) ||
	    (c->told_as && translation_stream_is_finished(c->told_as)))
		return false;
	while (next < c->order.n && !call_can_continue(c, next))
		next++;
	/* The same one would say the same again. */
	if (next == c->order.n &&
	    (cause == CAUSE_UNTRANSLATABLE || !call_can_continue(c, c->at) ||
	        c->tries_here > policy->retries ||
	        !retry_budget_spend(&call_target(c)->live->retries)))
		return false;
	/* A comment: the client sees that something comes, and its user can
	 * see what has happened. */
	snprintf(note, sizeof note, ": x-kf-continues after=%s cause=%s\n\n",
	    call_target(c)->name, cause_facts(cause)->name);
	serve_write(c->client, note, strlen(note));
	c->reason = "fallback";
	if (next == c->order.n) {
		wait_for_retry(c, policy->delay_ms);
		return true;
	}
	c->at = next;
	c->tries_here = 0;
	call_ask(c);
	return true;
}

static void
ask_again(struct call *c, enum cause cause, const struct retry_conf *policy)
{
	struct retry_facts facts = { .cause = cause,
		.status = c->status,
		.retry_after_ms = c->retry_after_ms,
		.tries = c->tries_here,
		.has_next = c->at + 1 < c->order.n,
		.is_spent = c->ntries >= CALL_TRIES_MAX,
		.is_stormy =
		    retry_budget_is_empty(&call_target(c)->live->retries),
		.left_ms = call_left_ms(c) };
	struct retry_plan plan;

	if (cause == CAUSE_CONTEXT)
		facts.has_next = find_room(c);
	plan = retry_decide(policy, &facts, call_random());
	if (plan.verdict == RETRY_STOP) {
		call_give_up(c, cause);
	} else if (plan.verdict == RETRY_SAME) {
		retry_budget_spend(&call_target(c)->live->retries);
		wait_for_retry(c, plan.wait_ms);
	} else {
		c->at++;
		c->tries_here = 0;
		c->reason = "fallback";
		call_ask(c);
	}
}

/*
 * The provider refuses the key, and not the request.  True: it has another one,
 * which is asked with at once; to everybody else that is one target.
 */
static bool
is_key_refused(struct call *c, enum cause cause)
{
	const struct conf_provider *p = call_target(c)->provider;
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;

	if (p->nsecrets < 2 || c->is_begun ||
	    (cause != CAUSE_QUOTA &&
	        (cause != CAUSE_STATUS ||
	            (c->status != 401 && c->status != 403 &&
	                c->status != 429))))
		return false;
	provider_keys_refused(p, c->key, now_ms, c->retry_after_ms);
	return ++c->keys_refused < p->nsecrets &&
	    c->ntries + 1 < CALL_TRIES_MAX && call_left_ms(c) > 0 &&
	    provider_keys_has_good(p, now_ms);
}

void
call_fail(struct call *c, enum cause cause)
{
	bool has_key = is_key_refused(c, cause);
	struct retry_conf policy;

	attempt_stop(c);
	c->is_key_refused = has_key;
	call_note(c, cause);
	policy = retry_policy(c);
	if (has_key)
		call_ask(c);
	else if (!c->is_begun)
		ask_again(c, cause, &policy);
	else if (!go_on(c, cause, &policy))
		call_break(c, cause);
}
