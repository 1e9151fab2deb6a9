/*
 * quota{requests,tokens,calls|window_ms}: so many requests, or so many tokens,
 * and what comes past that gets a 429.  Which requests those are is counted in
 * one of two ways:
 *
 *	calls      of each so many calls of one key; 0, and nothing said: it
 *	           never comes back, and the 429 is an insufficient_quota, which
 *	           must not be retried.  Where in the row a key begins is drawn,
 *	           so that a first call may find the quota used up.
 *	window_ms  of each window of time, whoever asks, with the time left in
 *	           Retry-After, as a provider counts.  It follows the clock: its
 *	           events are outside the run hash, and say so.
 *
 * Tokens are what a provider takes before it knows the answer: a token for
 * each four bytes of the request, and the most it may answer.  A request
 * within the quota is reported as bypassed; a rule with a quota usually says
 * "also".
 */
#include <stdio.h>

#include "base/buf.h"
#include "chaos/faults/provider_error.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"
#include "chaos/text/speech_chat.h"

#define COUNT_MAX       1e9
#define BODY_MAX        4096
#define BYTES_PER_TOKEN 4
#define MS_PER_S        1000u

struct conf {
	int64_t requests, tokens; /* 0: not asked */
	int64_t calls;            /* 0: it never comes back */
	int64_t window_ms;        /* 0: by calls */
};

struct state { /* of the present window, by the clock */
	uint64_t since_ms;
	int64_t requests, tokens;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "calls",     JF_INT, 0, 1, COUNT_MAX, offsetof(struct conf, calls),     NULL },
	{ "requests",  JF_INT, 0, 1, COUNT_MAX, offsetof(struct conf, requests),  NULL },
	{ "tokens",    JF_INT, 0, 1, COUNT_MAX, offsetof(struct conf, tokens),    NULL },
	{ "window_ms", JF_INT, 0, 0, COUNT_MAX, offsetof(struct conf, window_ms), NULL },
};
/* clang-format on */

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;

	if (!c->requests && !c->tokens)
		return why_set(why, ERR_SYNTAX,
		    "%s: expected requests or tokens", pointer);
	if (c->calls && c->window_ms)
		return why_set(why, ERR_SYNTAX,
		    "%s: expected one of calls and window_ms, not both",
		    pointer);
	return ERR_OK;
}

static int64_t
cost_of(struct facts *f)
{
	json_t *body = facts_json(f);
	json_t *most = json_object_get(body, "max_completion_tokens");
	int64_t answer;

	/* The older name of the same bound. */
	if (!most)
		most = json_object_get(body, "max_tokens");
	answer = json_integer_value(most);
	/* More than any quota allows is as good as that, and can be counted. */
	if (answer < 0 || answer > (int64_t)COUNT_MAX)
		answer = answer < 0 ? 0 : (int64_t)COUNT_MAX;
	return (int64_t)((f->body.n + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN) +
	    answer;
}

static void
openai_says(const struct conf *c, struct answer_head *a, uint64_t left_ms,
    struct buf *out)
{
	char text[24];

	if (!left_ms) {
		completion_error(out,
		    "You exceeded your current quota, please check your plan "
		    "and billing details.",
		    "insufficient_quota", "insufficient_quota");
		return;
	}
	snprintf(text, sizeof text, "%llu", (unsigned long long)left_ms);
	answer_head_add(a, "retry-after-ms", text);
	completion_error(out,
	    "Rate limit reached for requests. Please try again later.",
	    c->requests ? "requests" : "tokens", "rate_limit_exceeded");
}

/* left_ms 0: it never comes back. */
static void
refuse(struct exchange *x, const struct conf *c, uint64_t left_ms)
{
	uint64_t left_s = (left_ms + MS_PER_S - 1) / MS_PER_S;
	struct answer_head *a = exchange_answer(x);
	char text[24];
	struct buf body;

	buf_init(&body, BODY_MAX);
	if (left_ms) {
		snprintf(text, sizeof text, "%llu", (unsigned long long)left_s);
		answer_head_add(a, "retry-after", text);
	}
	if (!provider_says_429(x, (unsigned)left_s, &body))
		openai_says(c, a, left_ms, &body);
	exchange_reply(x, 429, "application/json",
	    (struct slice){ body.data, body.len });
	buf_done(&body);
}

static bool
follows_clock(const void *conf)
{
	return ((const struct conf *)conf)->window_ms > 0;
}

/* One draw a key. */
static uint64_t
first_call(const struct shot *s, uint64_t calls)
{
	struct fire_draw d = s->decide;

	d.attempt = 0;
	return fire_draw_between(&d, "quota.first", 0, calls - 1);
}

static bool
is_within(const struct conf *c, int64_t requests, int64_t tokens, int64_t cost)
{
	return (!c->requests || requests < c->requests) &&
	    (!c->tokens || tokens + cost <= c->tokens);
}

static enum fault_step
spend(struct shot *s, struct exchange *x, const struct state *w, int64_t cost,
    uint64_t left_ms)
{
	const struct conf *c = shot_conf(s);

	if (is_within(c, w->requests, w->tokens, cost)) {
		shot_bypass(s, "within the quota");
		return FAULT_GO_ON;
	}
	if (!shot_fire(s,
	        json_pack("{sI sI sI}", "requests", (json_int_t)w->requests,
	            "tokens", (json_int_t)w->tokens, "cost", (json_int_t)cost)))
		return FAULT_GO_ON;
	refuse(x, c, left_ms);
	return FAULT_ANSWERED;
}

/* Which call of its key this is says all. */
static enum fault_step
by_calls(struct shot *s, struct exchange *x, int64_t cost)
{
	const struct conf *c = shot_conf(s);
	struct state w = { .requests = (int64_t)s->decide.attempt - 1 };

	if (c->calls)
		w.requests =
		    (w.requests + (int64_t)first_call(s, (uint64_t)c->calls)) %
		    c->calls;
	w.tokens = w.requests * cost;
	/* Calls bring it back and not time; a second is what clients are told
	 * so that they come again. */
	return spend(s, x, &w, cost, c->calls ? MS_PER_S : 0);
}

static enum fault_step
by_clock(struct shot *s, struct exchange *x, int64_t cost)
{
	const struct conf *c = shot_conf(s);
	struct state *w = shot_state(s);
	uint64_t now_ms = loop_now_us(exchange_loop(x)) / 1000;
	enum fault_step step;

	if (w->since_ms == 0 || now_ms - w->since_ms >= (uint64_t)c->window_ms)
		*w = (struct state){ .since_ms = now_ms };
	step =
	    spend(s, x, w, cost, w->since_ms + (uint64_t)c->window_ms - now_ms);
	/* A refused request costs nothing, or a client that retries would never
	 * get out of it. */
	if (step == FAULT_GO_ON) {
		w->requests++;
		w->tokens += cost;
	}
	return step;
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	int64_t cost = cost_of(exchange_facts(x));

	return follows_clock(shot_conf(s)) ? by_clock(s, x, cost)
	                                   : by_calls(s, x, cost);
}

const struct fault_type fault_quota = {
	.name = "quota",
	.about = "so many requests or tokens, then 429",
	FAULT_CONF,
	.state_bytes = sizeof(struct state),
	.check = check,
	.follows_clock = follows_clock,
	.schema = "{\"anyOf\":[{\"required\":[\"requests\"]},{\"required\":["
	          "\"tokens\"]}],\"not\":{\"required\":[\"calls\","
	          "\"window_ms\"]}}",
	.on_request = on_request,
};
