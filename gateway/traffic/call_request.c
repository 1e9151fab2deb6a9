/*
 * What the client asks for, and what it wishes for besides: its metadata, how
 * long it would wait, how often it would have it asked again.
 */
#include "gateway/traffic/call_priv.h"

#include "base/jfield.h"
#include "base/mem.h"
#include "base/metadata_header.h"
#include "base/retryafter.h"
#include "gateway/exchange/decision_record.h"
#include <stdlib.h>
#include <string.h>

#define WISH_MAX_MS 86400000

static bool
read_metadata(struct call *c)
{
	const struct slice *text =
	    http1_get(serve_head(c->client), "x-tfy-metadata");
	struct why why;

	if (!text)
		return true;
	if (metadata_header_parse(text->p, text->n, &c->metadata, &why) !=
	    ERR_OK)
		return call_refuse(c, 400, "invalid_metadata", why.text);
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

/* Probabilities, more than one choice and thoughts that have to stand before
 * the text are not gone on with. */
static bool
is_plain(const struct call *c)
{
	const struct peek_member *thinking = peek_get(c->peek, "thinking");

	if (c->schema->kind == SCHEMA_MESSAGES)
		return !thinking ||
		    memmem(thinking->value.p, thinking->value.n, "\"disabled\"",
		        strlen("\"disabled\""));
	return c->schema->kind == SCHEMA_CHAT &&
	    !peek_is_true(c->peek, "logprobs") && !asks_choices(c->peek);
}

static bool
read_body(struct call *c)
{
	struct peek peek;
	struct why why;

	if (peek_read(serve_body(c->client), &peek, &why) != ERR_OK)
		return call_refuse(c, 400, "invalid_json", why.text);
	c->peek = xmemdup(&peek, peek_bytes(&peek));
	if (!peek_string(c->peek, "model", c->model, sizeof c->model) ||
	    !is_name(c->model)) {
		c->model[0] = '\0';
		return call_refuse(c, 400, "invalid_model",
		    "body: model: expected the name of a model");
	}
	c->is_stream = peek_is_true(c->peek, "stream");
	c->asked_bytes = c->peek->body.n;
	c->is_plain = is_plain(c);
	record_asked(c);
	return true;
}

/* What the caller wrote itself has to be a time; what its library adds
 * (x-stainless-*) may be anything. */
static bool
check_times(struct call *c)
{
	static const char *const names[] = { "x-tfy-request-timeout",
		"x-tfy-ttft-timeout-ms" };
	const struct slice *text;
	struct why why;

	for (size_t i = 0; i < COUNT(names); i++) {
		text = http1_get(serve_head(c->client), names[i]);
		if (!text || retryafter_number(*text, 1) > 0)
			continue;
		why_set(&why, ERR_SYNTAX,
		    "%s: expected milliseconds, more than 0", names[i]);
		return call_refuse(c, 400, "invalid_timeout", why.text);
	}
	return true;
}

/* A time in milliseconds the client wishes for; 0 when it says none, or more
 * than anybody waits. */
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
	return e == ERR_OK ||
	    call_refuse(c, 400, "invalid_retry_config", why.text);
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

void
call_read_wishes(struct call *c)
{
	int64_t total = wish_ms(c, "x-tfy-request-timeout");
	int64_t ours = c->terms->timers.total_ms;

	c->is_hurried = total > 0 && total < ours;
	c->due.total =
	    c->started_us + (uint64_t)(c->is_hurried ? total : ours) * 1000;
	c->sdk_ms = wish_ms(c, "x-stainless-timeout") * 1000;
	c->first_token_ms = wish_ms(c, "x-tfy-ttft-timeout-ms");
	c->client_retries = wish_ms(c, "x-stainless-retry-count");
	if (c->is_stream && c->terms->buffer_bytes && c->terms->comment_ms)
		c->due.comment =
		    c->started_us + (uint64_t)c->terms->comment_ms * 1000;
}

bool
call_read(struct call *c)
{
	read_trace(c);
	return read_metadata(c) && read_retry_wish(c) && check_times(c) &&
	    read_body(c);
}
