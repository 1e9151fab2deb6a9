/*
 * What the client asks for, and what it wishes for besides: its metadata, how
 * long it would wait, how often it would have it asked again.
 */
#include "gateway/traffic/call_priv.h"

#include "base/jfield.h"
#include "base/mem.h"
#include "base/metadata_header.h"
#include "gateway/decisions/cost.h"
#include "gateway/exchange/decision_record.h"
#include "gateway/text/token_estimate.h"
#include <stdlib.h>
#include <string.h>

#define WISH_MAX_MS        86400000
#define TOKEN_NUMBER_BYTES 2

/* Whatever a client puts where names belong: they go into logs, the store, spans
 * and headers. */
static void
hide_keys(const struct call *c, char *text)
{
	for (size_t i = 0; i < c->conf->nproviders; i++)
		conf_hide_keys(&c->conf->providers[i], text, strlen(text));
}

static void
hide_in_metadata(struct call *c)
{
	const char *name;
	json_t *value;

	json_object_foreach(c->metadata, name, value) {
		char *text = xstrdup(json_string_value(value));

		hide_keys(c, text);
		json_string_set(value, text);
		free(text);
	}
}

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
	hide_in_metadata(c);
	c->echo = metadata_header_text(c->metadata);
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

/* With a sequence to stop at, nothing may be all there is to say. */
static bool
names_stops(const struct peek *k)
{
	const struct peek_member *stop = peek_get(k, "stop");

	if (!stop)
		stop = peek_get(k, "stop_sequences");
	return stop && stop->type != JSCAN_NULL && !slice_is(stop->value, "[]");
}

/* The next letter to those who read names without case, as Go does: two letters
 * beyond ASCII, too. */
static char
take_letter(struct slice *s)
{
	char one;

	if (slice_skip(s, "\xc5\xbf"))
		return 's';
	if (slice_skip(s, "\xe2\x84\xaa"))
		return 'k';
	one = *s->p++;
	s->n--;
	if (one >= 'A' && one <= 'Z')
		one = (char)(one + ('a' - 'A'));
	return one;
}

/* Not that name, but what somebody behind us may take for it. */
static bool
is_like(struct slice s, const char *name)
{
	if (slice_is(s, name))
		return false;
	for (; s.n > 0 && *name; name++)
		if (take_letter(&s) != *name)
			return false;
	return s.n == 0 && !*name;
}

/* What is decided by here must be read alike by who is asked. */
static bool
check_names(struct call *c)
{
	static const char *const names[] = { "model", "stream",
		"stream_options", "max_tokens", "max_completion_tokens",
		"max_output_tokens", "n_predict", "n", "best_of", "stop",
		"stop_sequences", "messages", "input", "background" };
	const struct peek_member *stream = peek_get(c->peek, "stream");
	struct why why;

	for (size_t i = 0; i < c->peek->n; i++)
		for (size_t k = 0; k < COUNT(names); k++)
			if (is_like(c->peek->members[i].name, names[k])) {
				why_set(&why, ERR_SYNTAX,
				    "body: a name that differs from \"%s\" in "
				    "its case only",
				    names[k]);
				return call_refuse(c, 400, "invalid_json",
				    why.text);
			}
	if (!stream || stream->type == JSCAN_FALSE ||
	    stream->type == JSCAN_NULL)
		return true;
	if (stream->type != JSCAN_TRUE)
		return call_refuse(c, 400, "invalid_stream",
		    "body: stream: expected true or false");
	/* Nobody streams vectors: every target would be asked, and paid. */
	return c->schema->kind != SCHEMA_EMBEDDINGS ||
	    call_refuse(c, 400, "invalid_stream",
	        "body: stream: vectors come whole");
}

/* A body is read here as it is; who is asked would read another one. */
static bool
check_coding(struct call *c)
{
	const struct slice *coding =
	    http1_get(serve_head(c->client), "content-encoding");

	return !coding || coding->n == 0 ||
	    slice_is_nocase(*coding, "identity") ||
	    call_refuse(c, 415, "unsupported_coding",
	        "Content-Encoding: expected a body that is not packed");
}

/* Texts to embed may stand there as the numbers of their tokens, which take
 * two bytes each at least, with what is between. */
static uint64_t
guess_asked(const struct call *c)
{
	const struct peek_member *input = c->schema->kind == SCHEMA_EMBEDDINGS
	    ? peek_get(c->peek, "input")
	    : NULL;
	struct slice v = input ? input->value : slice_of(NULL);

	while (v.n > 0 && strchr("[ \t\r\n", v.p[0])) {
		v.p++;
		v.n--;
	}
	return v.n > 0 && v.p[0] >= '0' && v.p[0] <= '9'
	    ? c->peek->body.n / TOKEN_NUMBER_BYTES
	    : token_estimate_text(c->peek->body.n);
}

/* What comes back of work that goes on without us is the word that it was taken
 * up: neither an answer nor a bill. */
static bool
check_background(struct call *c)
{
	const struct peek_member *m = c->schema->kind == SCHEMA_RESPONSES
	    ? peek_get(c->peek, "background")
	    : NULL;

	return !m || m->type == JSCAN_FALSE || m->type == JSCAN_NULL ||
	    call_refuse(c, 400, "unsupported_background",
	        "body: background: expected false: this gateway cannot see "
	        "how work in the background ends, nor what it costs");
}

static bool
read_body(struct call *c)
{
	struct peek peek;
	struct why why;

	if (peek_read(serve_body(c->client), &peek, &why) != ERR_OK)
		return call_refuse(c, 400, "invalid_json", why.text);
	buf_reuse(&c->asked, sizeof peek);
	(void)buf_add(&c->asked, &peek, peek_bytes(&peek));
	c->peek = (void *)c->asked.data;
	if (!peek_string(c->peek, "model", c->model, sizeof c->model) ||
	    !is_name(c->model)) {
		c->model[0] = '\0';
		return call_refuse(c, 400, "invalid_model",
		    "body: model: expected the name of a model");
	}
	hide_keys(c, c->model);
	if (!check_names(c) || !check_background(c))
		return false;
	c->names_stops = names_stops(c->peek);
	c->is_stream = peek_is_true(c->peek, "stream");
	c->asked_tokens = guess_asked(c);
	output_limit_read(c->peek, &c->limit);
	c->is_plain = is_plain(c);
	record_asked(c);
	return true;
}

/* A number in digits, rounded up, however long it is; -1: none.  More than
 * anybody waits is told apart from that alone. */
static int64_t
number_of(struct slice text)
{
	bool is_part = false, is_more = false, is_digit = false;
	int64_t v = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		is_digit = c >= '0' && c <= '9';
		if (!is_digit && (c != '.' || is_part || i == 0))
			return -1;
		if (!is_digit)
			is_part = true;
		else if (is_part)
			is_more |= c != '0';
		else if (v <= WISH_MAX_MS)
			v = v * 10 + (c - '0');
	}
	return is_digit ? v + is_more : -1;
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
		if (!text || number_of(*text) > 0)
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
	int64_t ms = text ? number_of(*text) : 0;

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

static enum err
set_statuses(struct status_set *set, json_t *list, struct why *why)
{
	json_t *item;
	size_t i;

	if (!list)
		return ERR_OK;
	memset(set, 0, sizeof *set);
	json_array_foreach(list, i, item) {
		const char *text = json_string_value(item);
		int64_t status =
		    text ? number_of(slice_of(text)) : json_integer_value(item);

		if (status < 100 || status > 599)
			return why_set(why, ERR_SYNTAX,
			    "x-tfy-retry-config: key \"on_status_codes\": "
			    "expected statuses from 100 to 599");
		status_set_add(set, (int)status);
	}
	return ERR_OK;
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
		e = set_statuses(&c->retry->on, wish.statuses, &why);
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
	    check_coding(c) && read_body(c);
}
