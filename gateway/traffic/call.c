/*
 * A call's beginning (read, route) and its one end.  Everything that is
 * wrong with a request is said before an upstream hears of it.
 */
#include "gateway/traffic/call_impl.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/jfield.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/retryafter.h"
#include "base/tfymeta.h"
#include "gateway/traffic/front.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WISH_MAX_MS 86400000
#define GUESS_OUT   1024 /* tokens, when the request sets no maximum */

static bool read_request(struct call *c);
static void read_wishes(struct call *c);
static bool choose_targets(struct call *c);
static bool enter_limits(struct call *c);

static const struct front_work call_work;

void
call_start(struct gateway *g, struct serve_call *sc,
    const struct conf_key *caller)
{
	struct call *c = xcalloc(1, sizeof *c);

	c->work = &call_work;
	c->gate = g;
	c->conf = conf_ref(g->conf);
	c->client = sc;
	c->caller = caller;
	c->started_us = serve_started_us(sc);
	c->link = &g->calls;
	if ((c->next = g->calls))
		c->next->link = &c->next;
	g->calls = c;
	g->ncalls++;
	serve_set_data(sc, c);
	answer_stamp_new_id(c->id);
	timers_init(c);
	buf_init(&c->body, (size_t)c->conf->answer_bytes);
	commit_init(&c->commit, c->conf->is_empty_answer_ok);
	c->terms = &c->conf->terms;
	spoken_init(&c->spoken);
	c->due.total =
	    c->started_us + (uint64_t)c->terms->timers.total_ms * 1000;
	if (!read_request(c) || !choose_targets(c) || !enter_limits(c))
		return;
	read_wishes(c);
	attempt_start(c);
}

/* ---- reading */

static bool
refuse(struct call *c, int status, const char *code, const char *message)
{
	struct answer_stamp_error e = { status, code, NULL, message };

	reply_error(c, &e);
	return false;
}

static bool
read_metadata(struct call *c)
{
	const struct slice *text =
	    http1_get(serve_head(c->client), "x-tfy-metadata");
	struct why why;

	if (!text)
		return true;
	if (tfymeta_parse(text->p, text->n, &c->metadata, &why) != ERR_OK)
		return refuse(c, 400, "invalid_metadata", why.text);
	c->echo = json_dumps(c->metadata, JSON_COMPACT | JSON_ENSURE_ASCII);
	return true;
}

/* A name that goes into headers and logs: printable, without spaces. */
static bool
is_name(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s > '~')
			return false;
	return true;
}

static bool
asks_choices(const struct peek *k)
{
	const struct peek_member *n = peek_get(k, "n");

	return n && n->type != JSCAN_NULL && !slice_is(n->value, "1");
}

static bool
read_body(struct call *c)
{
	struct why why;

	c->peek = xmalloc(sizeof *c->peek);
	if (peek_read(serve_body(c->client), c->peek, &why) != ERR_OK)
		return refuse(c, 400, "invalid_json", why.text);
	if (!peek_string(c->peek, "model", c->model, sizeof c->model) ||
	    !is_name(c->model)) {
		c->model[0] = '\0';
		return refuse(c, 400, "invalid_model",
		    "body: model: expected the name of a model");
	}
	c->is_stream = peek_is_true(c->peek, "stream");
	c->asked_bytes = c->peek->body.n;
	/* Probabilities and more than one choice are not gone on with. */
	c->is_plain =
	    !peek_is_true(c->peek, "logprobs") && !asks_choices(c->peek);
	record_asked(c);
	return true;
}

/* A time in milliseconds the client wishes for; 0 when it says none. */
static int64_t
wish_ms(const struct call *c, const char *name)
{
	const struct slice *text = http1_get(serve_head(c->client), name);
	int64_t ms = text ? retryafter_number(*text, 1) : 0;

	return ms > 0 && ms <= WISH_MAX_MS ? ms : 0;
}

struct retry_wish {
	int64_t attempts, delay;
	json_t *statuses;
};

static const struct jfield retry_fields[] = {
	{ "attempts", JF_INT, 0, 0, 10, offsetof(struct retry_wish, attempts),
	    NULL },
	{ "delay", JF_INT, 0, 0, 60000, offsetof(struct retry_wish, delay),
	    NULL },
	{ "on_status_codes", JF_ARRAY, 0, 0, 64,
	    offsetof(struct retry_wish, statuses), NULL },
};

static void
set_statuses(struct status_set *set, json_t *list)
{
	json_t *item;
	size_t i;

	if (!list)
		return;
	memset(set, 0, sizeof *set);
	json_array_foreach(list, i, item)
		status_set_add(set,
		    json_is_string(item)
		        ? (int)strtol(json_string_value(item), NULL, 10)
		        : (int)json_integer_value(item));
}

/* x-tfy-retry-config: {"attempts":2,"delay":100,"on_status_codes":["429"]} */
static bool
read_retry_wish(struct call *c)
{
	const struct slice *text =
	    http1_get(serve_head(c->client), "x-tfy-retry-config");
	struct retry_wish wish = { -1, -1, NULL };
	json_t *root = NULL;
	struct why why;
	enum err e;

	if (!text)
		return true;
	e = jfield_parse("x-tfy-retry-config", text->p, text->n, &root, &why);
	if (e == ERR_OK)
		e = jfield_read(root, "x-tfy-retry-config", retry_fields,
		    COUNT(retry_fields), &wish, &why);
	if (e == ERR_OK) {
		c->retry = xmalloc(sizeof *c->retry);
		retry_conf_init(c->retry);
		if (wish.attempts >= 0)
			c->retry->retries = wish.attempts;
		if (wish.delay >= 0)
			c->retry->delay_ms = wish.delay;
		set_statuses(&c->retry->on, wish.statuses);
	}
	json_decref(root);
	return e == ERR_OK || refuse(c, 400, "invalid_retry_config", why.text);
}

/* Its shape is all that is looked at here. */
static void
read_trace(struct call *c)
{
	const struct slice *v = http1_get(serve_head(c->client), "traceparent");

	if (v && v->n == sizeof c->traceparent - 1 &&
	    memcmp(v->p, "00-", 3) == 0)
		memcpy(c->traceparent, v->p, v->n);
}

static void
read_wishes(struct call *c)
{
	int64_t total = wish_ms(c, "x-tfy-request-timeout");
	int64_t ours = c->terms->timers.total_ms;

	c->is_hurried = total > 0 && total < ours;
	c->due.total =
	    c->started_us + (uint64_t)(c->is_hurried ? total : ours) * 1000;
	c->sdk_ms = wish_ms(c, "x-stainless-timeout") * 1000;
	c->first_token_ms = wish_ms(c, "x-tfy-ttft-timeout-ms");
	c->client_retries = wish_ms(c, "x-stainless-retry-count");
}

static bool
read_request(struct call *c)
{
	read_trace(c);
	return read_metadata(c) && read_retry_wish(c) && read_body(c);
}

/* ---- routing */

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
	if (first && kept > 0)
		c->reason = first;
}

static void
order_by_rule(struct call *c, const struct route_ask *ask)
{
	uint32_t latency[CONF_TARGETS_MAX], pick = 0;
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;

	for (size_t i = 0; i < c->rule->ntargets; i++) {
		target_health_refresh(c->rule->targets[i].live, now_ms);
		latency[i] = c->rule->targets[i].live->latency_us;
	}
	if (c->rule->kind != CONF_PRIORITY &&
	    !route_session(c->rule, ask, c->started_us / 1000000, &pick))
		pick = call_random();
	route_targets(c->rule, ask, latency, pick, &c->order);
	demote(c);
}

static bool
choose_targets(struct call *c)
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
	}
	if (c->order.n > 0)
		return true;
	return refuse(c, 404, "model_not_found",
	    "no rule and no provider of this gateway serves that model");
}

/* ---- limits */

/* What the request may use, before anybody knows. */
static struct limit_use
guess_use(const struct call *c, uint64_t now_s)
{
	const struct peek_member *max = peek_get(c->peek, "max_tokens");
	struct cost_usage u = { cost_estimate_tokens(c->peek->body.n),
		GUESS_OUT, 0 };
	int64_t said;

	if (!max)
		max = peek_get(c->peek, "max_completion_tokens");
	said = max ? retryafter_number(max->value, 1) : -1;
	if (said > 0)
		u.out = (uint64_t)said;
	return (struct limit_use){ u.in + u.out,
		cost_nano(c->order.targets[0]->price, &u, now_s) };
}

static bool
refuse_limit(struct call *c, const struct limit_refusal *r)
{
	char message[CALL_MODEL_MAX + 128];
	struct answer_stamp_error e = { 429,
		r->rule->is_budget ? "budget_exceeded" : "rate_limit_exceeded",
		NULL, message };

	snprintf(message, sizeof message, "the limit %.200s is reached",
	    r->rule->id);
	c->gate->stats.limited++;
	c->limited_s = r->wait_s;
	c->is_hopeless = limit_is_hopeless(r);
	if (r->rule->is_budget)
		c->reason = "budget";
	reply_error(c, &e);
	return false;
}

static bool
enter_limits(struct call *c)
{
	struct route_ask ask = { c->caller->subject, c->model, c->metadata,
		serve_head(c->client), c->caller->groups };
	struct limit_question q = { c->conf->limits, c->conf->nlimits, &ask,
		{ 0, 0 }, clock_wall_ms() / 1000 };
	struct limit_refusal refusal;

	if (q.n == 0)
		return true;
	q.guess = guess_use(c, q.now_s);
	if (limit_enter(c->gate->limits, &q, &c->hold, &refusal) != ERR_OK)
		return refuse_limit(c, &refusal);
	c->gate->stats.audited += refusal.rule != NULL;
	return true;
}

static void
leave_limits(struct call *c)
{
	struct limit_use used = { 0, 0 };

	for (size_t i = 0; i < c->ntries; i++) {
		used.tokens += c->tries[i].tokens_in + c->tries[i].tokens_out;
		used.cost_nano += c->tries[i].cost_nano;
	}
	limit_leave(c->gate->limits, &c->hold, &used);
}

/* ---- small questions */

const struct conf_target *
call_target(const struct call *c)
{
	size_t at = c->at < c->order.n ? c->at : c->order.n - 1;

	return c->order.n ? c->order.targets[at] : NULL;
}

int64_t
call_left_ms(const struct call *c)
{
	uint64_t now = loop_now_us(c->gate->loop);

	return now >= c->due.total ? 0 : (int64_t)((c->due.total - now) / 1000);
}

uint32_t
call_random(void)
{
	uint32_t r;

	digest_random(&r, sizeof r);
	return r;
}

void
call_set_state(struct call *c, enum call_state to)
{
	static const char *const names[CALL_NSTATES] = { "asking", "holding",
		"waiting", "streaming", "ended" };

	if (c->state != to)
		log_debug(c->id, "%s -> %s", names[c->state], names[to]);
	c->state = to;
}

/* ---- the end */

void
call_close(struct call *c, int status, enum cause cause)
{
	struct gateway *g = c->gate;

	call_set_state(c, CALL_ENDED);
	if (c->fetch)
		fetch_cancel(c->fetch);
	record_call(c, status, cause);
	leave_limits(c);
	timers_done(c);
	if ((*c->link = c->next))
		c->next->link = c->link;
	g->ncalls--;
	sse_parser_free(c->sse);
	commit_done(&c->commit);
	spoken_done(&c->spoken);
	buf_done(&c->body);
	record_done(c);
	free(c->peek);
	free(c->echo);
	json_decref(c->metadata);
	free(c->direct);
	free(c->retry);
	conf_unref(c->conf);
	free(c);
}

static void
on_gone(struct serve_call *sc, enum serve_gone why, void *arg)
{
	struct call *c = serve_data(sc);

	(void)why;
	(void)arg;
	c->client = NULL;
	c->gate->stats.gone++;
	/* After [DONE] the client has all there is. */
	if (c->commit.is_done) {
		relay_finish(c);
		return;
	}
	if (c->fetch)
		attempt_note(c, CAUSE_CLIENT_GONE);
	call_close(c, 499, CAUSE_CLIENT_GONE);
}

static void
on_drain(struct serve_call *sc, void *arg)
{
	struct call *c = serve_data(sc);

	(void)arg;
	if (!c->is_paused)
		return;
	c->is_paused = false;
	c->due.progress = loop_now_us(c->gate->loop) + timers_idle_us(c);
	timers_arm(c);
	if (c->fetch)
		fetch_resume(c->fetch);
}

static const struct front_work call_work = { on_gone, on_drain };

void
call_drop_all(struct gateway *g)
{
	struct call *c, *next;

	for (c = g->calls; c; c = next) {
		next = c->next;
		if (c->client)
			serve_abort(c->client, SERVE_END_RST);
		c->client = NULL;
		call_close(c, 503, CAUSE_DEADLINE);
	}
}
