/*
 * quota{requests,tokens,window_ms}: so many requests, or so many tokens, in
 * each window of time; what comes past that gets a 429 with the time left in
 * Retry-After.  Without window_ms the quota never comes back: the 429 is then
 * an insufficient_quota, which must not be retried.
 *
 * Tokens are what a provider takes before it knows the answer: a token for
 * each four bytes of the request, and the most it may answer.  A request
 * within the quota is reported as bypassed; a rule with a quota usually says
 * "also".
 */
#include <stdio.h>

#include "base/buf.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"
#include "chaos/text/completion.h"

#define COUNT_MAX       1e9
#define BODY_MAX        4096
#define BYTES_PER_TOKEN 4
#define MS_PER_S        1000u

struct conf {
	int64_t requests, tokens; /* 0: not asked */
	int64_t window_ms;        /* 0: it never comes back */
};

struct state { /* of the present window */
	uint64_t since_ms;
	int64_t requests, tokens;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "requests",  JF_INT, 0, 1, COUNT_MAX, offsetof(struct conf, requests),  NULL },
	{ "tokens",    JF_INT, 0, 1, COUNT_MAX, offsetof(struct conf, tokens),    NULL },
	{ "window_ms", JF_INT, 0, 0, COUNT_MAX, offsetof(struct conf, window_ms), NULL },
};
/* clang-format on */

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;

	if (c->requests || c->tokens)
		return ERR_OK;
	return why_set(why, ERR_SYNTAX, "%s: expected requests or tokens",
	    pointer);
}

static int64_t
cost_of(struct facts *f)
{
	json_t *body = facts_json(f);
	json_t *most = json_object_get(body, "max_completion_tokens");

	if (!most)
		most = json_object_get(body, "max_tokens");
	return (int64_t)((f->body.n + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN) +
	    (json_integer_value(most) > 0 ? json_integer_value(most) : 0);
}

static void
refuse(struct exchange *x, const struct conf *c, uint64_t left_ms)
{
	struct answer *a = exchange_answer(x);
	char text[24];
	struct buf body;

	buf_init(&body, BODY_MAX);
	if (c->window_ms) {
		snprintf(text, sizeof text, "%llu",
		    (unsigned long long)((left_ms + MS_PER_S - 1) / MS_PER_S));
		answer_add(a, "retry-after", text);
		snprintf(text, sizeof text, "%llu",
		    (unsigned long long)left_ms);
		answer_add(a, "retry-after-ms", text);
		completion_error(&body,
		    "Rate limit reached for requests. Please try again later.",
		    c->requests ? "requests" : "tokens", "rate_limit_exceeded");
	} else {
		completion_error(&body,
		    "You exceeded your current quota, please check your plan "
		    "and billing details.",
		    "insufficient_quota", "insufficient_quota");
	}
	exchange_reply(x, 429, "application/json",
	    (struct slice){ body.data, body.len });
	buf_done(&body);
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct state *w = shot_state(s);
	uint64_t now_ms = loop_now_us(exchange_loop(x)) / 1000;
	int64_t cost = cost_of(exchange_facts(x));

	if (w->since_ms == 0 ||
	    (c->window_ms && now_ms - w->since_ms >= (uint64_t)c->window_ms))
		*w = (struct state){ .since_ms = now_ms };
	if ((!c->requests || w->requests < c->requests) &&
	    (!c->tokens || w->tokens + cost <= c->tokens)) {
		w->requests++;
		w->tokens += cost;
		shot_bypass(s, "within the quota");
		return FAULT_GO_ON;
	}
	if (!shot_fire(s,
	        json_pack("{sI sI sI}", "requests", (json_int_t)w->requests,
	            "tokens", (json_int_t)w->tokens, "cost", (json_int_t)cost)))
		return FAULT_GO_ON;
	refuse(x, c, w->since_ms + (uint64_t)c->window_ms - now_ms);
	return FAULT_ANSWERED;
}

const struct fault_type fault_quota = {
	.name = "quota",
	.about = "so many requests or tokens in a window, then 429",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.state_bytes = sizeof(struct state),
	.check = check,
	.schema = "{\"anyOf\":[{\"required\":[\"requests\"]},{\"required\":["
	          "\"tokens\"]}]}",
	.on_request = on_request,
};
