/*
 * The texts of the headers live in one struct on the stack while they are
 * written: an answer costs no allocation of its own.
 */
#include "gateway/exchange/reply.h"

#include "base/mask.h"
#include "base/mem.h"
#include "gateway/text/short_text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ATTEMPTS_MAX   2048
#define ROUTING_MAX    (2 * CALL_MODEL_MAX + 128)
#define QUOTE_MAX      160
#define QUOTED_MAX     ((size_t)4096) /* of which it is taken */
#define MESSAGE_MAX    1024
#define RETRY_AFTER_S  60
#define ERROR_BODY_MAX 16384

/* The texts of the headers live here while they are written. */
struct stamps {
	struct answer_stamp answer;
	char routing[ROUTING_MAX];
	char attempts[ATTEMPTS_MAX];
	char timing[128];
	char retry_after[24];
};

static void
put_attempt(const struct call_try *t, const char *cause, struct short_text *l)
{
	short_text_add(l, t->target->name);
	short_text_add(l, ";cause=");
	short_text_add(l, cause);
	short_text_add(l, ";status=");
	short_text_uint(l, (uint64_t)t->status);
	short_text_add(l, ";ms=");
	short_text_uint(l, t->us / 1000);
	short_text_add(l, ";in=");
	short_text_uint(l, t->tokens_in);
	short_text_add(l, ";out=");
	short_text_uint(l, t->tokens_out);
	short_text_add(l, ";cost=");
	short_text_decimal(l, t->cost_nano, 9);
}

void
reply_attempts(const struct call *c, char *out, size_t size)
{
	struct call_try open = { .target = call_target(c),
		.status = c->status };
	bool is_open = !c->is_noted &&
	    (c->state == CALL_STREAMING || (c->is_headed && c->fetch));
	struct short_text l;
	size_t whole;

	short_text_init(&l, out, size);
	for (size_t i = 0; i < c->ntries + is_open; i++) {
		whole = l.len;
		short_text_add(&l, i > 0 ? ", " : "");
		if (i == c->ntries)
			put_attempt(&open, "open", &l);
		else
			put_attempt(&c->tries[i],
			    cause_facts(c->tries[i].cause)->name, &l);
		if (i + 1 == CALL_TRIES_MAX)
			short_text_add(&l, ";bound=16");
		if (l.is_cut) {
			short_text_back(&l, whole);
			return;
		}
	}
}

static void
stamp(const struct call *c, struct stamps *s)
{
	const struct conf_target *t = call_target(c);
	struct answer_stamp *a = &s->answer;
	struct short_text l;

	answer_stamp_init(a, c->id);
	if (c->echo)
		answer_stamp_add(a, "x-tfy-metadata-echo", c->echo);
	if (!t)
		return;
	short_text_init(&l, s->routing, sizeof s->routing);
	short_text_add(&l, "from=");
	short_text_add(&l, c->model);
	short_text_add(&l, " to=");
	short_text_add(&l, t->name);
	short_text_add(&l, " reason=");
	short_text_add(&l, c->reason);
	reply_attempts(c, s->attempts, sizeof s->attempts);
	answer_stamp_add(a, "x-tfy-resolved-model", t->name);
	answer_stamp_add(a, "x-tfy-routing", s->routing);
	if (c->rule) {
		answer_stamp_add(a, "x-tfy-applied-rules", c->rule->id);
		if (c->rule->config[0])
			answer_stamp_add(a, "x-tfy-applied-configurations",
			    c->rule->config);
	}
	if (s->attempts[0])
		answer_stamp_add(a, "x-kf-attempts", s->attempts);
	for (size_t i = 0; c->told && i < c->told->n; i++)
		answer_stamp_add(a, c->told->fields[i].name,
		    c->told->fields[i].value);
}

/* Where the time of a whole answer went. */
static void
stamp_timing(const struct call *c, struct stamps *s)
{
	uint64_t total = loop_now_us(c->gate->loop) - c->started_us, at = 0;
	struct short_text l;

	if (c->ntries > 0)
		at = c->tries[c->ntries - 1].us;
	short_text_init(&l, s->timing, sizeof s->timing);
	short_text_add(&l, "total;dur=");
	short_text_decimal(&l, total, 3);
	short_text_add(&l, ", upstream;dur=");
	short_text_decimal(&l, at, 3);
	answer_stamp_add(&s->answer, "server-timing", s->timing);
}

void
reply_whole(struct call *c)
{
	struct stamps s;

	stamp(c, &s);
	stamp_timing(c, &s);
	answer_stamp_add(&s.answer, "content-type", "application/json");
	serve_answer(c->client, c->status, s.answer.fields, s.answer.n,
	    c->body.data, c->body.len);
	c->client = NULL;
}

void
reply_stream_head(struct call *c)
{
	struct stamps s;

	stamp(c, &s);
	answer_stamp_add(&s.answer, "content-type", "text/event-stream");
	answer_stamp_add(&s.answer, "cache-control", "no-cache");
	serve_start(c->client, 200, s.answer.fields, s.answer.n);
}

/* ---- failures */

/* What the upstream says, cut short once its keys are out of it. */
static void
quote_text(const struct call *c, struct slice text, char out[QUOTE_MAX])
{
	const struct conf_target *t = call_target(c);
	char *whole =
	    xstrndup(text.p, text.n < QUOTED_MAX ? text.n : QUOTED_MAX);

	if (t)
		conf_hide_keys(t->provider, whole, strlen(whole));
	mask_format(out, QUOTE_MAX, "%s", whole);
	free(whole);
}

/* The first line of it, tags and all. */
static void
first_line(const struct call *c, char out[QUOTE_MAX])
{
	const char *p = c->body.data ? c->body.data : "";

	p += strspn(p, " \t\r\n");
	quote_text(c, (struct slice){ p, strcspn(p, "\r\n") }, out);
}

static bool
is_html(const struct buf *body)
{
	const char *p = body->data ? body->data : "";

	p += strspn(p, " \t\r\n");
	return *p == '<';
}

/* What an error of any of the APIs says, "" when it says nothing: one that is
 * part of a response, and one that is an event by itself, too. */
static void
error_message(const struct call *c, const struct buf *body, char out[QUOTE_MAX])
{
	json_t *root = body->data
	    ? json_loadb(body->data, body->len, JSON_REJECT_DUPLICATES, NULL)
	    : NULL;
	json_t *error = json_object_get(root, "error");
	const char *text;

	if (!error)
		error =
		    json_object_get(json_object_get(root, "response"), "error");
	if (!error)
		error = root;
	text = json_string_value(error);
	if (!text)
		text = json_string_value(json_object_get(error, "message"));
	quote_text(c, slice_of(text ? text : ""), out);
	json_decref(root);
}

static bool
says_why(enum cause cause)
{
	return cause == CAUSE_TLS || cause == CAUSE_RESOLVE ||
	    cause == CAUSE_REFUSED || cause == CAUSE_PROTOCOL ||
	    cause == CAUSE_UNTRANSLATABLE;
}

void
reply_describe(const struct call *c, enum cause cause, char *out, size_t size)
{
	const struct conf_target *t = call_target(c);
	char quote[QUOTE_MAX] = "";

	if (cause == CAUSE_UNTRANSLATABLE && c->told_as)
		quote_text(c, slice_of(translation_stream_untold(c->told_as)),
		    quote);
	else if ((cause == CAUSE_STATUS && is_html(&c->body)) ||
	    cause == CAUSE_NOT_JSON || cause == CAUSE_NOT_STREAM)
		first_line(c, quote);
	else if (cause == CAUSE_STREAM_ERROR && c->commit.error.len)
		error_message(c, &c->commit.error, quote);
	else
		error_message(c, &c->body, quote);
	/* Where the phrase says what happened, this says why. */
	if (!quote[0] && says_why(cause))
		snprintf(quote, sizeof quote, "%s", c->why);
	snprintf(out, size, "%s %s%s%s%s", t ? t->name : "the gateway",
	    cause_facts(cause)->phrase, quote[0] ? ": " : "", quote,
	    c->ntries >= CALL_TRIES_MAX
	        ? "; a request makes no more attempts than these sixteen"
	        : "");
}

/* The upstream has said it by a status of its own. */
static bool
is_said(enum cause cause)
{
	return cause == CAUSE_STATUS || cause == CAUSE_QUOTA ||
	    cause == CAUSE_CONTEXT || cause == CAUSE_POLICY;
}

/* The status the client gets. */
static int
failure_status(const struct call *c, enum cause cause)
{
	if (!is_said(cause))
		return cause_facts(cause)->status;
	return is_html(&c->body) || c->status < 400 ? 502 : c->status;
}

/* Seconds after which asking again makes sense; 0 for nothing to say. */
static int64_t
retry_after_s(const struct call *c, enum cause cause)
{
	uint64_t now_ms = loop_now_us(c->gate->loop) / 1000, first = 0, until;
	int64_t s = 0;

	if (cause == CAUSE_STATUS && c->retry_after_ms > 0) {
		s = (c->retry_after_ms + 999) / 1000;
	} else if (cause == CAUSE_DOWN) {
		s = c->order.targets[0]->provider->health.interval_ms / 1000;
		s = s > 0 ? s : 1;
	} else if (cause == CAUSE_BREAKER) {
		for (size_t i = 0; i < c->order.n; i++) {
			until =
			    c->order.targets[i]->live->breaker.open_until_ms;
			if (i == 0 || until < first)
				first = until;
		}
		s = first > now_ms ? (int64_t)((first - now_ms + 999) / 1000)
		                   : 1;
	}
	return s;
}

/* From 1 to 60: clients take nothing else well. */
static void
stamp_retry_after(struct stamps *s, uint64_t seconds)
{
	if (seconds > RETRY_AFTER_S)
		seconds = RETRY_AFTER_S;
	snprintf(s->retry_after, sizeof s->retry_after, "%" PRIu64, seconds);
	answer_stamp_add(&s->answer, "retry-after", s->retry_after);
}

static void
answer_failure(struct call *c, struct stamps *s, int status,
    const struct buf *body)
{
	stamp_timing(c, s);
	answer_stamp_add(&s->answer, "content-type", "application/json");
	serve_answer(c->client, status, s->answer.fields, s->answer.n,
	    body->data, body->len);
	c->client = NULL;
}

/* Who asks again gets the same, and pays for it. */
static bool
is_said_again(enum cause cause)
{
	return cause == CAUSE_QUOTA || cause == CAUSE_TOO_BIG ||
	    cause == CAUSE_UNTRANSLATABLE;
}

int
reply_failure(struct call *c, enum cause cause)
{
	char message[MESSAGE_MAX], code[32];
	int status = failure_status(c, cause);
	struct answer_stamp_error e = { status, cause_facts(cause)->name, NULL,
		message, c->schema };
	int64_t after = retry_after_s(c, cause);
	struct chunk chunk;
	struct stamps s;
	struct buf body;

	stamp(c, &s);
	if (after > 0)
		stamp_retry_after(&s, (uint64_t)after);
	if (is_said_again(cause))
		answer_stamp_add(&s.answer, "x-should-retry", "false");
	/* An error body of OpenAI's form passes as the upstream wrote it. */
	if (is_said(cause) && status == c->status && c->body.data &&
	    chunk_read(c->schema, (struct slice){ c->body.data, c->body.len },
	        &chunk) == ERR_OK &&
	    chunk.error) {
		answer_failure(c, &s, status, &c->body);
		return status;
	}
	if (cause == CAUSE_STATUS) {
		snprintf(code, sizeof code, "upstream_%d", c->status);
		e.code = code;
	}
	reply_describe(c, cause, message, sizeof message);
	buf_init(&body, ERROR_BODY_MAX);
	answer_stamp_error_body(&e, &body);
	answer_failure(c, &s, status, &body);
	buf_done(&body);
	return status;
}

void
reply_error(struct call *c, const struct answer_stamp_error *e)
{
	struct answer_stamp_error said = *e;
	struct stamps s;
	struct buf body;

	stamp(c, &s);
	if (c->limited_s > 0)
		stamp_retry_after(&s, c->limited_s);
	if (c->is_hopeless)
		answer_stamp_add(&s.answer, "x-should-retry", "false");
	buf_init(&body, ERROR_BODY_MAX);
	said.schema = c->schema;
	answer_stamp_error_body(&said, &body);
	answer_failure(c, &s, e->status, &body);
	buf_done(&body);
}
