/*
 * One attempt: the client's request, rewritten for a target, goes out; the
 * answer is judged; a failure is retried, passed on, or told.
 */
#include "gateway/traffic/call_impl.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/retryafter.h"
#include "gateway/decisions/errclass.h"
#include "gateway/decisions/patience.h"
#include "gateway/text/usage.h"
#include "gateway/traffic/upstream_headers.h"
#include <stdio.h>
#include <string.h>

#define BODY_GROWTH ((size_t)65536) /* model and override_params besides */

static const struct fetch_ops attempt_ops;

/* ---- going out */

/* What the target is asked: the client's body with its edits, and where the
 * client has the beginning of an answer, the question to go on from it. */
static enum err
write_body(struct call *c, const struct conf_target *t, struct buf *body)
{
	struct peek_edit edits[CONF_EDITS_MAX + 2 + SPOKEN_EDITS_MAX];
	size_t n = t->nedits, more = 0;
	struct buf options, room;
	enum err e = ERR_OK;

	memcpy(edits, t->edits, t->nedits * sizeof *edits);
	buf_init(&options, c->peek->body.n + 64);
	buf_init(&room, c->peek->body.n + c->spoken.text.len + BODY_GROWTH);
	if (c->is_stream &&
	    (c->commit.strips_usage = usage_options(c->peek, &options)))
		edits[n++] =
		    (struct peek_edit){ "stream_options", options.data };
	if (c->is_begun &&
	    !(more = spoken_edits(&c->spoken, t->provider->continues, c->peek,
	          &room, edits + n)))
		e = ERR_SYNTAX;
	if (e == ERR_OK)
		e = peek_splice(c->peek, edits, n + more, body);
	buf_done(&options);
	buf_done(&room);
	return e;
}

static enum err
send_request(struct call *c, const struct conf_target *t)
{
	const struct conf_provider *p = t->provider;
	struct fetch_request req = { .addr = p->url.addr,
		.tls = p->url.tls,
		.method = "POST",
		.target = c->is_begun ? p->continue_target : p->chat_target,
		.has_body = true,
		.connect_timeout_ms = (uint32_t)(t->connect_timeout_ms
		        ? t->connect_timeout_ms
		        : c->terms->timers.connect_ms) };
	struct upstream_headers fields;
	struct buf body;
	enum err e;

	buf_init(&body, c->peek->body.n + c->spoken.text.len + 2 * BODY_GROWTH);
	e = write_body(c, t, &body);
	if (e == ERR_OK) {
		upstream_headers_init(&fields, serve_head(c->client), t);
		req.fields = fields.fields;
		req.nfields = fields.n;
		req.body = body.data;
		req.body_bytes = body.len;
		c->fetch = fetch_start(c->gate->pool, &req, &attempt_ops, c);
		c->sent_us = clock_mono_us();
		upstream_headers_done(&fields);
	}
	buf_done(&body);
	return e;
}

static int64_t
lesser(int64_t a, int64_t b)
{
	return b > 0 && b < a ? b : a;
}

/* What is left for a first token, with or without the client's wishes. */
static int64_t
left_for_head(const struct call *c, const struct conf_target *t, bool wishes)
{
	int64_t waited = (int64_t)((c->try_started_us - c->started_us) / 1000);
	int64_t left = c->terms->timers.total_ms - waited;

	left = lesser(left, t->timeout_ms);
	if (wishes) {
		left = lesser(left, call_left_ms(c));
		/* Its library gives up then, and asks all over again. */
		if (c->sdk_ms > waited && !c->is_begun)
			left = lesser(left, c->sdk_ms - waited);
	}
	return left;
}

/*
 * A stream has a time to its first token.  A whole answer has none, unless
 * the client says how long it would wait; while somebody else could be asked
 * it has its share of the time.
 */
static void
arm_attempt(struct call *c, const struct conf_target *t)
{
	uint64_t now = c->try_started_us;
	bool has_next = c->at + 1 < c->order.n;
	int64_t said = c->first_token_ms, first = said, share = 0;
	int64_t left = left_for_head(c, t, true);
	int64_t ours = left_for_head(c, t, false);

	if (c->is_stream) {
		said = said ? said : c->terms->timers.first_token_ms;
		first = patience_ms(said, left, has_next);
		ours = patience_ms(c->terms->timers.first_token_ms, ours,
		    has_next);
	} else if (has_next) {
		share = left / 2;
		ours /= 2;
	}
	/* There is nobody to fall back to: the last one gets grace. */
	if (c->at > 0 && !has_next)
		first *= 2;
	c->patience_us = (uint64_t)ours * 1000;
	c->due.progress = first ? now + (uint64_t)first * 1000 : 0;
	if (t->timeout_ms && (!share || t->timeout_ms < share))
		share = t->timeout_ms;
	c->due.attempt = share ? now + (uint64_t)share * 1000 : 0;
	timers_arm(c);
}

/* Notes a target that was not asked at all. */
static void
note_held_off(struct call *c, const struct conf_target *t)
{
	t->live->causes[CAUSE_BREAKER]++;
	if (c->ntries < CALL_TRIES_MAX)
		c->tries[c->ntries++] =
		    (struct call_try){ .target = t, .cause = CAUSE_BREAKER };
}

/* The next target whose breaker lets a request pass; NULL: none is left. */
static const struct conf_target *
enter_target(struct call *c)
{
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;

	for (; c->at < c->order.n; c->at++, c->tries_here = 0) {
		const struct conf_target *t = c->order.targets[c->at];

		if (c->is_begun && !call_can_continue(c, c->at))
			continue;
		if (breaker_enter(&t->live->breaker, now_ms, &c->pass) ||
		    t->live->breaker.conf.demotes)
			return t;
		note_held_off(c, t);
		c->reason = "breaker";
	}
	return NULL;
}

static enum cause
last_real_cause(const struct call *c)
{
	for (size_t i = c->ntries; i > 0; i--)
		if (c->tries[i - 1].cause != CAUSE_BREAKER)
			return c->tries[i - 1].cause;
	return CAUSE_BREAKER;
}

/* Forgets the answer so far. */
static void
reset(struct call *c)
{
	c->status = 0;
	c->is_events = c->is_paused = c->is_seen = c->is_noted = false;
	c->retry_after_ms = -1;
	c->why[0] = '\0';
	c->first_token_us = 0;
	c->due.rate = 0;
	record_reset(c);
	buf_clear(&c->body);
	sse_parser_free(c->sse);
	c->sse = NULL;
	commit_done(&c->commit);
	commit_init(&c->commit, c->conf->is_empty_answer_ok);
	c->commit.continues = c->is_begun;
	c->commit.drops_malformed = c->terms->malformed == CONF_MALFORMED_DROP;
	c->commit.cuts_malformed = c->terms->malformed == CONF_MALFORMED_CUT;
	if (!c->is_begun && c->spoken.events > 0)
		spoken_clear(&c->spoken);
	/* What nobody could go on from need not be kept. */
	c->commit.spoken =
	    c->is_begun || call_goes_on(c, c->at) ? &c->spoken : NULL;
}

void
attempt_give_up(struct call *c, enum cause cause)
{
	if (c->is_begun)
		relay_break(c, cause);
	else
		reply_failure(c, cause);
}

void
attempt_start(struct call *c)
{
	const struct conf_target *t = enter_target(c);

	if (!t) {
		attempt_give_up(c, last_real_cause(c));
		return;
	}
	reset(c);
	call_set_state(c, CALL_ASKING);
	c->try_started_us = loop_now_us(c->gate->loop);
	if (c->tries_here++ == 0)
		retry_budget_earn(&t->live->retries);
	if (send_request(c, t) != ERR_OK) {
		struct answer_stamp_error e = { 413, "body_too_big", NULL,
			"the request is too big once it is rewritten" };

		breaker_leave(&t->live->breaker, &c->pass);
		if (c->is_begun)
			relay_break(c, CAUSE_TOO_BIG);
		else
			reply_error(c, &e);
		return;
	}
	arm_attempt(c, t);
}

/* ---- coming back */

static int64_t
read_retry_after(const struct http1_head *h)
{
	const struct slice *ms = http1_get(h, "retry-after-ms");
	const struct slice *s = http1_get(h, "retry-after");

	if (!ms && !s)
		return -1;
	return retryafter_ms(ms ? *ms : slice_of(NULL), s ? *s : slice_of(NULL),
	    clock_wall_ms() / 1000);
}

static bool
has_type(const struct http1_head *h, const char *type)
{
	const struct slice *v = http1_get(h, "content-type");
	size_t n = strlen(type);

	return v && v->n >= n &&
	    slice_is_nocase((struct slice){ v->p, n }, type);
}

static void
on_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct call *c = arg;

	(void)f;
	if (h->status < 200)
		return;
	c->status = h->status;
	c->retry_after_ms = read_retry_after(h);
	c->is_events = h->status == 200 && c->is_stream &&
	    has_type(h, "text/event-stream");
	if (c->is_events)
		c->sse = sse_parser_new(COMMIT_HELD_MAX * 16);
	call_set_state(c, CALL_HOLDING);
}

static bool
is_blank(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != ' ' && p[i] != '\n' && p[i] != '\r' && p[i] != '\t')
			return false;
	return true;
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct call *c = arg;

	(void)f;
	record_answered(c, p, n);
	if (c->is_events) {
		relay_data(c, p, n);
		return;
	}
	if (buf_add(&c->body, p, n) != ERR_OK) {
		attempt_fail(c, CAUSE_TOO_BIG);
		return;
	}
	/* Blank lines keep a connection alive and are no progress. */
	if (is_blank(p, n))
		return;
	if (!c->is_seen)
		c->first_token_us = loop_now_us(c->gate->loop);
	c->is_seen = true;
	c->due.progress = loop_now_us(c->gate->loop) + timers_idle_us(c);
	timers_arm(c);
}

/* How a whole answer is to be taken. */
static enum cause
judge_whole(const struct call *c, struct chunk *ret)
{
	struct slice body = { c->body.data, c->body.len };

	if (c->status < 200 || c->status >= 300)
		return CAUSE_STATUS;
	if (!c->body.data || chunk_read(body, ret) != ERR_OK)
		return CAUSE_NOT_JSON;
	if (ret->error)
		return CAUSE_STREAM_ERROR;
	if (c->is_stream)
		return CAUSE_NOT_STREAM;
	if (!ret->choices)
		return CAUSE_NOT_JSON;
	if (strcmp(ret->finish, "insufficient_system_resource") == 0)
		return CAUSE_OVERLOADED;
	if (!ret->payload && !c->conf->is_empty_answer_ok &&
	    (!ret->finish[0] || strcmp(ret->finish, "stop") == 0))
		return CAUSE_EMPTY;
	return CAUSE_OK;
}

/* What an error status means here. */
static enum cause
cause_of_status(const struct call *c)
{
	static const enum cause causes[ERRCLASS_NCLASSES] = {
		[ERRCLASS_NONE] = CAUSE_STATUS,
		[ERRCLASS_CONTEXT] = CAUSE_CONTEXT,
		[ERRCLASS_POLICY] = CAUSE_POLICY,
		[ERRCLASS_QUOTA] = CAUSE_QUOTA,
		[ERRCLASS_OVERLOAD] = CAUSE_STATUS,
	};

	return causes[errclass_of(c->status,
	    (struct slice){ c->body.data ? c->body.data : "", c->body.len })];
}

static void
on_end(struct fetch *f, void *arg)
{
	struct call *c = arg;
	struct chunk chunk = { 0 };
	enum cause cause;

	(void)f;
	c->fetch = NULL;
	c->came_us = clock_mono_us();
	if (c->is_events) {
		relay_end(c);
		return;
	}
	cause = judge_whole(c, &chunk);
	if (cause == CAUSE_STATUS)
		cause = cause_of_status(c);
	if (cause != CAUSE_OK) {
		attempt_fail(c, cause);
		return;
	}
	c->commit.last_usage = chunk;
	if (quality_escalates(c))
		return;
	attempt_note(c, CAUSE_OK);
	reply_whole(c);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct call *c = arg;

	(void)f;
	c->fetch = NULL;
	snprintf(c->why, sizeof c->why, "%s", text);
	if (c->commit.is_done)
		relay_finish(c);
	else
		attempt_fail(c, cause_of_fetch(fail));
}

static const struct fetch_ops attempt_ops = {
	.on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
};

/* ---- what follows */

/* A client's own mistake says nothing about the target's health. */
static bool
counts_against(enum cause cause, int status)
{
	if (cause == CAUSE_STATUS)
		return status == 429 || status >= 500;
	return cause_facts(cause)->counts;
}

/* The client would wait no longer, though the configuration would have: that
 * says nothing about the target, or one client could shut it for all. */
static bool
is_impatience(const struct call *c, enum cause cause)
{
	uint64_t waited = loop_now_us(c->gate->loop) - c->try_started_us;

	if (cause == CAUSE_FIRST_TOKEN || cause == CAUSE_TIMEOUT)
		return waited < c->patience_us &&
		    (c->is_hurried || c->first_token_ms || c->sdk_ms);
	return cause == CAUSE_CLIENT_GONE ||
	    (cause == CAUSE_DEADLINE && c->is_hurried);
}

static void
tell_health(struct call *c, struct target_health *l, enum cause cause)
{
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000;

	l->causes[cause]++;
	if (is_impatience(c, cause))
		breaker_leave(&l->breaker, &c->pass);
	else if (counts_against(cause, c->status))
		breaker_fail(&l->breaker, &c->pass, now_ms, c->retry_after_ms);
	else
		breaker_ok(&l->breaker, &c->pass, now_ms);
}

void
attempt_note(struct call *c, enum cause cause)
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
	return policy;
}

bool
call_can_continue(const struct call *c, size_t at)
{
	return c->is_plain && c->is_stream &&
	    c->order.targets[at]->provider->continues != SPOKEN_NOT;
}

bool
call_goes_on(const struct call *c, size_t from)
{
	for (size_t i = from; i < c->order.n; i++)
		if (call_can_continue(c, i))
			return true;
	return false;
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
	    call_left_ms(c) == 0 || !spoken_can_go_on(&c->spoken) || !c->peek ||
	    !spoken_is_question(c->peek))
		return false;
	while (next < c->order.n && !call_can_continue(c, next))
		next++;
	if (next == c->order.n &&
	    (!call_can_continue(c, c->at) || c->tries_here > policy->retries ||
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
	attempt_start(c);
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
		reply_failure(c, cause);
	} else if (plan.verdict == RETRY_SAME) {
		retry_budget_spend(&call_target(c)->live->retries);
		wait_for_retry(c, plan.wait_ms);
	} else {
		c->at++;
		c->tries_here = 0;
		c->reason = "fallback";
		attempt_start(c);
	}
}

void
attempt_fail(struct call *c, enum cause cause)
{
	struct retry_conf policy = retry_policy(c);

	if (c->fetch)
		fetch_cancel(c->fetch);
	c->fetch = NULL;
	attempt_note(c, cause);
	if (!c->is_begun)
		ask_again(c, cause, &policy);
	else if (!go_on(c, cause, &policy))
		relay_break(c, cause);
}
