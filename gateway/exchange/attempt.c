/*
 * What a target is asked is made anew for each attempt: the client's bytes are
 * kept as they came, and every target has edits, headers and times of its own.
 */
#include "gateway/exchange/attempt.h"

#include "base/clock.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "base/retryafter.h"
#include "gateway/decisions/cost.h"
#include "gateway/decisions/error_class.h"
#include "gateway/decisions/silence_limit.h"
#include "gateway/exchange/timers.h"
#include "gateway/exchange/upstream_headers.h"
#include "gateway/routing/provider_keys.h"
#include "gateway/text/token_estimate.h"
#include "gateway/text/usage.h"
#include "gateway/translation/translation.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_GROWTH ((size_t)65536) /* model and override_params besides */
#define MESSAGE_MAX 1024
#define CODE_MAX    64

static const struct fetch_ops attempt_ops;

/* ---- going out */

static bool
is_translated(const struct call *c)
{
	return c->wire != c->schema;
}

/* The same in the words of the target's API, with the target's edits. */
static enum err
write_translated(struct call *c, const struct conf_target *t,
    struct slice question, struct buf *body)
{
	struct translation_target to = { c->wire->kind, t->provider->continues,
		false };
	struct buf again;
	struct peek peek;
	enum err e = ERR_OK;

	buf_init(&again, body->max_bytes);
	if (!c->is_begun && call_can_ask(c, t->provider))
		question =
		    (struct slice){ c->other->text.data, c->other->text.len };
	else if ((e = translation_question(&to, question, &again, NULL)) ==
	    ERR_OK)
		question = (struct slice){ again.data, again.len };
	if (e == ERR_OK)
		e = peek_read(question, &peek, NULL);
	if (e == ERR_OK)
		e = peek_splice(&peek, t->edits, t->nedits, body);
	buf_done(&again);
	return e;
}

/* How the client's own API says that somebody shall go on. */
static enum continuation_way
way_of(const struct call *c, const struct conf_target *t)
{
	if (!is_translated(c))
		return t->provider->continues;
	return c->schema->kind == SCHEMA_CHAT ? CONTINUATION_DEEPSEEK
	                                      : CONTINUATION_PREFILL;
}

/* What the target is asked: the client's body with its edits, and where the
 * client has the beginning of an answer, the question to go on from it. */
static enum err
write_body(struct call *c, const struct conf_target *t, struct buf *body)
{
	struct peek_edit edits[CONF_EDITS_MAX + 2 + CONTINUATION_EDITS_MAX];
	size_t n = is_translated(c) ? 0 : t->nedits, more = 0;
	struct buf options, room, said;
	enum err e = ERR_OK;

	memcpy(edits, t->edits, n * sizeof *edits);
	buf_init(&said, body->max_bytes);
	buf_init(&options, c->peek->body.n + 64);
	buf_init(&room, c->peek->body.n + c->spoken.text.len + BODY_GROWTH);
	if (c->is_stream && c->schema->kind == SCHEMA_CHAT &&
	    (c->commit.strips_usage = usage_options(c->peek, &options)))
		edits[n++] =
		    (struct peek_edit){ "stream_options", options.data };
	if (c->is_begun)
		e = continuation_edits(&c->spoken, way_of(c, t), c->peek, &room,
		    edits + n, &more);
	if (e == ERR_OK)
		e = peek_splice(c->peek, edits, n + more,
		    is_translated(c) ? &said : body);
	if (e == ERR_OK && is_translated(c))
		e = write_translated(c, t,
		    (struct slice){ said.data, said.len }, body);
	buf_done(&options);
	buf_done(&room);
	buf_done(&said);
	return e;
}

static enum err
send_request(struct call *c, const struct conf_target *t)
{
	const struct conf_provider *p = t->provider;
	bool goes_on =
	    c->is_begun || (is_translated(c) && c->other->to.is_begun);
	const char *target = goes_on && c->wire->kind == SCHEMA_CHAT
	    ? p->continue_target
	    : p->targets[c->wire->kind];
	const char *query = conf_key_query(p, c->key);
	char *whole = *query ? xasprintf("%s%s", target, query) : NULL;
	struct fetch_request req = { .addr = p->url.addr,
		.tls = p->url.tls,
		.method = "POST",
		.target = whole ? whole : target,
		.has_body = true,
		.connect_timeout_ms = (uint32_t)(t->connect_timeout_ms
		        ? t->connect_timeout_ms
		        : c->terms->timers.connect_ms) };
	struct upstream_headers fields;
	struct buf *body = &c->gate->asked;
	enum err e;

	buf_reuse(body,
	    (is_translated(c) ? 2 : 1) * c->peek->body.n + c->spoken.text.len +
	        2 * BODY_GROWTH);
	e = write_body(c, t, body);
	if (e == ERR_OK) {
		upstream_headers_init(&fields, serve_head(c->client), t,
		    c->schema, c->wire, c->key);
		req.fields = fields.fields;
		req.nfields = fields.n;
		req.body = body->data;
		req.body_bytes = body->len;
		c->fetch = fetch_start(c->gate->pool, &req, &attempt_ops, c);
		c->sent_us = clock_exact_us();
		c->busy = t->live;
		c->busy->busy++;
		upstream_headers_done(&fields);
	}
	free(whole);
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
		first = silence_limit_ms(said, left, has_next);
		ours = silence_limit_ms(c->terms->timers.first_token_ms, ours,
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

/* Forgets the answer so far. */
static void
reset(struct call *c)
{
	c->status = 0;
	c->is_events = c->is_paused = c->is_seen = c->is_noted = false;
	c->is_guess = c->is_sent = c->is_untold = false;
	c->retry_after_ms = -1;
	c->is_final = false;
	upstream_headers_told_free(c->told);
	c->told = NULL;
	gunzip_free(c->gunzip);
	c->gunzip = NULL;
	translation_stream_free(c->told_as);
	c->told_as = NULL;
	c->why[0] = '\0';
	c->first_token_us = 0;
	c->due.rate = 0;
	buf_clear(&c->body);
	sse_parser_free(c->sse);
	c->sse = NULL;
	commit_point_done(&c->commit);
	commit_point_init(&c->commit, c->schema, c->conf->is_empty_answer_ok,
	    (size_t)c->conf->answer_bytes);
	c->commit.is_stop_ok = c->names_stops;
	if (c->is_stream && c->at < c->order.n)
		c->commit.choices =
		    call_limit(c, call_target(c)).said[OUTPUT_LIMIT_N];
	c->commit.continues = c->is_begun;
	c->commit.drops_malformed = c->terms->malformed == CONF_MALFORMED_DROP;
	c->commit.cuts_malformed = c->terms->malformed == CONF_MALFORMED_CUT;
	if (!c->is_begun && c->spoken.events > 0)
		continuation_clear(&c->spoken);
	/* What nobody could go on from need not be kept. */
	c->commit.spoken =
	    c->is_begun || call_goes_on(c, c->at) ? &c->spoken : NULL;
}

enum err
attempt_begin(struct call *c, const struct conf_target *t)
{
	enum err e;

	reset(c);
	c->wire = conf_asked_in(t->provider, c->schema);
	call_set_state(c, CALL_ASKING);
	c->try_started_us = loop_now_us(c->gate->loop);
	c->key = provider_keys_next(t->provider, c->try_started_us / 1000);
	if ((e = send_request(c, t)) == ERR_OK)
		arm_attempt(c, t);
	return e;
}

/* The upstream is asked no more. */
static void
let_go(struct call *c)
{
	c->fetch = NULL;
	if (c->busy)
		c->busy->busy--;
	c->busy = NULL;
}

void
attempt_stop(struct call *c)
{
	if (c->fetch) {
		c->is_sent = fetch_is_sent(c->fetch);
		fetch_cancel(c->fetch);
	}
	let_go(c);
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
	const struct slice *no, *encoding;

	(void)f;
	if (h->status < 200)
		return;
	c->status = h->status;
	c->retry_after_ms = read_retry_after(h);
	upstream_headers_told_free(c->told);
	c->told = upstream_headers_told(h, call_target(c)->provider);
	encoding = http1_get(h, "content-encoding");
	c->gunzip = encoding ? gunzip_new(*encoding) : NULL;
	no = http1_get(h, "x-should-retry");
	c->is_final = no && slice_is_nocase(*no, "false");
	c->is_events = h->status == 200 && c->is_stream &&
	    has_type(h, "text/event-stream");
	if (c->is_events)
		c->sse = sse_parser_new((size_t)c->conf->answer_bytes);
	if (c->is_events && is_translated(c))
		c->told_as = translation_stream_new(c->schema->kind,
		    clock_wall_ms() / 1000, (size_t)c->conf->answer_bytes,
		    c->asked_tokens);
	call_set_state(c, CALL_HOLDING);
}

/* Thoughts that the client's API has no event for are work all the same. */
static void
note_unsaid(struct call *c, uint64_t before)
{
	if (translation_stream_unsaid(c->told_as) == before || c->is_paused)
		return;
	c->due.progress = loop_now_us(c->gate->loop) + timers_idle_us(c);
	timers_arm(c);
}

static void
hear_translated(struct call *c, const char *p, size_t n)
{
	uint64_t unsaid = translation_stream_unsaid(c->told_as);
	struct buf told;
	enum err e;

	buf_init(&told, (size_t)c->conf->answer_bytes);
	e = translation_stream_feed(c->told_as, p, n, &told);
	note_unsaid(c, unsaid);
	if (e != ERR_OK)
		c->on->on_fail(c, CAUSE_TOO_BIG);
	else if (told.len > 0)
		c->on->on_data(c, told.data, told.len);
	buf_done(&told);
}

static void
hear(struct call *c, const char *p, size_t n)
{
	if (c->told_as)
		hear_translated(c, p, n);
	else if (c->is_events || buf_add(&c->body, p, n) == ERR_OK)
		c->on->on_data(c, p, n);
	else
		c->on->on_fail(c, CAUSE_TOO_BIG);
}

/* What a read gives is handed on at once: whoever hears it may end the call. */
static void
hear_gzip(struct call *c, const char *p, size_t n)
{
	struct buf plain;
	enum err e;

	buf_init(&plain, (size_t)c->conf->answer_bytes);
	e = gunzip_feed(c->gunzip, p, n, &plain);
	if (e != ERR_OK)
		c->on->on_fail(c,
		    e == ERR_TOOBIG ? CAUSE_TOO_BIG : CAUSE_PROTOCOL);
	else if (plain.len > 0)
		hear(c, plain.data, plain.len);
	buf_done(&plain);
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct call *c = arg;

	(void)f;
	if (c->gunzip)
		hear_gzip(c, p, n);
	else
		hear(c, p, n);
}

/* A whole answer, or an error, in the words of the client's API; what cannot be
 * said stays as it is, and is none. */
static void
translate_body(struct call *c)
{
	struct slice body = { c->body.data, c->body.len };
	char message[MESSAGE_MAX], code[CODE_MAX];
	struct answer_stamp_error error = { c->status, code, NULL, message,
		c->schema };
	struct translation_guess guess = { c->asked_tokens,
		token_estimate_text(body.n), false };
	struct buf told;
	struct why why;
	bool is_said;
	enum err e;

	buf_init(&told, (size_t)c->conf->answer_bytes);
	if (c->status >= 400) {
		translation_error(body, message, sizeof message, code,
		    sizeof code);
		is_said = message[0] != '\0';
		answer_stamp_error_body(&error, &told);
	} else {
		e = translation_answer(c->schema->kind, body,
		    clock_wall_ms() / 1000, &guess, &told, &why);
		is_said = e == ERR_OK;
		c->is_guess = is_said && guess.is_told;
		if ((c->is_untold = e == ERR_RANGE))
			snprintf(c->why, sizeof c->why, "%.*s",
			    CALL_WHY_MAX - 1, why.text);
	}
	if (is_said) {
		buf_done(&c->body);
		c->body = told;
	} else {
		buf_done(&told);
	}
}

/* The end of a stream that its upstream did not say is made up.  True: the
 * call has heard it. */
static bool
end_translated(struct call *c)
{
	struct buf told;
	bool has_said;

	buf_init(&told, (size_t)c->conf->answer_bytes);
	has_said =
	    translation_stream_end(c->told_as, &told) == ERR_OK && told.len > 0;
	if (has_said)
		c->on->on_data(c, told.data, told.len);
	buf_done(&told);
	return has_said;
}

static void
end(struct call *c)
{
	let_go(c);
	c->came_us = loop_now_us(c->gate->loop);
	/* Before any of it is cut. */
	if (c->status >= 400)
		conf_hide_keys(call_target(c)->provider, c->body.data,
		    c->body.len);
	if (is_translated(c) && !c->is_events)
		translate_body(c);
	if (c->told_as && end_translated(c))
		return;
	/* HTTP's end is not that of the answer inside. */
	if (c->gunzip && !gunzip_is_whole(c->gunzip) && !call_has_said_why(c))
		c->on->on_fail(c, CAUSE_CUT);
	else
		c->on->on_end(c);
}

static void
on_end(struct fetch *f, void *arg)
{
	(void)f;
	end(arg);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct call *c = arg;

	(void)f;
	/* How its connection ends adds nothing to it. */
	if (c->is_events && call_has_said_why(c)) {
		end(c);
		return;
	}
	let_go(c);
	snprintf(c->why, sizeof c->why, "%s", text);
	c->on->on_fail(c, cause_of_fetch(fail));
}

static const struct fetch_ops attempt_ops = {
	.on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
};

/* ---- what it is worth */

/* How a whole answer is to be taken. */
static enum cause
judge_whole(const struct call *c, struct chunk *ret)
{
	struct slice body = { c->body.data, c->body.len };

	if (c->status < 200 || c->status >= 300)
		return CAUSE_STATUS;
	/* It is counted in the words that it came in. */
	if (c->is_untold && chunk_read(c->wire, body, ret) == ERR_OK)
		return CAUSE_UNTRANSLATABLE;
	if (!c->body.data || chunk_read(c->schema, body, ret) != ERR_OK)
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
	    (!ret->finish[0] ||
	        (!c->names_stops &&
	            strcmp(ret->finish, c->schema->stopped) == 0)))
		return CAUSE_EMPTY;
	return CAUSE_OK;
}

/* What an error status means here. */
static enum cause
cause_of_status(const struct call *c)
{
	static const enum cause causes[ERROR_CLASS_NCLASSES] = {
		[ERROR_CLASS_NONE] = CAUSE_STATUS,
		[ERROR_CLASS_CONTEXT] = CAUSE_CONTEXT,
		[ERROR_CLASS_POLICY] = CAUSE_POLICY,
		[ERROR_CLASS_QUOTA] = CAUSE_QUOTA,
		[ERROR_CLASS_OVERLOAD] = CAUSE_STATUS,
	};

	return causes[error_class_of(c->status,
	    (struct slice){ c->body.data ? c->body.data : "", c->body.len })];
}

enum cause
attempt_judge(const struct call *c, struct chunk *ret)
{
	enum cause cause = judge_whole(c, ret);

	return cause == CAUSE_STATUS ? cause_of_status(c) : cause;
}
