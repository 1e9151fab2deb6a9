/*
 * Putting an answer together.
 *
 * A stream ends well in two ways: [DONE], or a finish reason and then the
 * end.  SDKs take every end for a good one; we do not, because a cut kernel
 * often still parses.  An event with an error object is the other side
 * giving up under HTTP 200.
 */
#include "agent/model/answer_assembly.h"

#include "agent/text/claim_filter.h"
#include "base/jlenient.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/sse_end.h"
#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char no_chat[] = "JSON without choices is no chat completion";

static const char *const completion_names[COMPLETION_NFAULTS] = {
	[COMPLETION_GOOD] = "good",
	[COMPLETION_CUT] = "stream_cut",
	[COMPLETION_ERROR] = "error_event",
	[COMPLETION_QUOTA] = "quota",
	[COMPLETION_LENGTH] = "length",
	[COMPLETION_REASON] = "finish_reason",
	[COMPLETION_EMPTY] = "empty_answer",
	[COMPLETION_GARBAGE] = "garbage",
	[COMPLETION_TOOBIG] = "too_big",
};

/* Finish reasons, in any case, and what they mean; one that is not here is no
 * success. */
static const struct {
	const char *reason;
	enum completion_fault fault;
} completion_reasons[] = {
	{ "stop", COMPLETION_GOOD },
	{ "eos", COMPLETION_GOOD },
	{ "eos_token", COMPLETION_GOOD },
	{ "end_turn", COMPLETION_GOOD },
	{ "length", COMPLETION_LENGTH },
	{ "max_tokens", COMPLETION_LENGTH },
};

/* Error codes and types that no retry will mend. */
static const char *const completion_quota[] = {
	"insufficient_quota",
	"quota_exceeded",
	"insufficient_balance",
	"billing_hard_limit_reached",
	"budget_exceeded",
	"access_terminated",
};

const char *
completion_fault_name(enum completion_fault f)
{
	return completion_names[f];
}

void
completion_init(struct completion *c)
{
	*c = (struct completion){ .prompt_tokens = -1,
		.completion_tokens = -1,
		.total_tokens = -1 };
	buf_init(&c->content, COMPLETION_CONTENT_MAX);
}

void
completion_done(struct completion *c)
{
	buf_done(&c->content);
}

static void __attribute__((format(printf, 3, 4)))
fail(struct completion *c, enum completion_fault f, const char *fmt, ...)
{
	va_list ap;

	/* The first fault is the cause; what follows it is often its
	 * consequence. */
	if (c->fault != COMPLETION_GOOD)
		return;
	c->fault = f;
	va_start(ap, fmt);
	mask_vformat(c->detail, sizeof c->detail, fmt, ap);
	va_end(ap);
}

static bool
is_quota(json_t *error)
{
	static const char *const keys[] = { "code", "type" };

	for (size_t k = 0; k < 2; k++) {
		const char *s =
		    json_string_value(json_object_get(error, keys[k]));

		for (size_t i = 0; s && i < COUNT(completion_quota); i++)
			if (strcmp(s, completion_quota[i]) == 0)
				return true;
	}
	return false;
}

/* The error object of root in words; false when there is none. */
static bool
error_of(json_t *root, char *out, size_t size, bool *ret_quota)
{
	json_t *error = json_object_get(root, "error");
	const char *text = json_string_value(json_object_get(error, "message"));

	if (!error || json_is_null(error))
		return false;
	if (!text)
		text = json_string_value(error);
	mask_format(out, size, "%s", text ? text : "an error without words");
	*ret_quota = is_quota(error);
	return true;
}

static bool
take_error(struct completion *c, json_t *root)
{
	char text[COMPLETION_WORDS_MAX], *said;
	bool quota;

	if (!error_of(root, text, sizeof text, &quota))
		return false;
	said = claim_quote(text, sizeof text);
	fail(c, quota ? COMPLETION_QUOTA : COMPLETION_ERROR,
	    "an error instead of an answer, in the server's words: %s", said);
	free(said);
	return true;
}

/* A number of tokens as far as it can be one; else what was known. */
static void
take_count(struct completion *c, json_t *usage, const char *key, long *n)
{
	json_t *v = json_object_get(usage, key);
	double told = json_is_number(v) ? json_number_value(v) : -1;

	if (told > COMPLETION_TOKENS_MAX)
		c->tells_absurd = true;
	if (told >= 0)
		*n = (long)(told < COMPLETION_TOKENS_MAX
		        ? told
		        : COMPLETION_TOKENS_MAX);
}

static void
take_usage(struct completion *c, json_t *usage)
{
	take_count(c, usage, "prompt_tokens", &c->prompt_tokens);
	take_count(c, usage, "completion_tokens", &c->completion_tokens);
	take_count(c, usage, "total_tokens", &c->total_tokens);
}

static enum completion_fault
fault_of_reason(const char *reason)
{
	for (size_t i = 0; i < COUNT(completion_reasons); i++)
		if (strcasecmp(completion_reasons[i].reason, reason) == 0)
			return completion_reasons[i].fault;
	return COMPLETION_REASON;
}

static bool
is_label(const char *key)
{
	static const char *const labels[] = { "role", "type", "id", "format" };

	for (size_t i = 0; i < COUNT(labels); i++)
		if (strcmp(labels[i], key) == 0)
			return true;
	return false;
}

/* The bytes of all strings within v, whatever their keys are called: thoughts
 * and calls are paid for as the text is, and have other names at each
 * provider.  Some say one thought under two names: once is enough. */
static size_t
bytes_within(json_t *v, json_t *seen)
{
	const char *key;
	json_t *child;
	size_t sum = 0, i;

	if (json_is_string(v) && !json_object_get(seen, json_string_value(v))) {
		(void)json_object_set_new(seen, json_string_value(v),
		    json_true());
		return json_string_length(v);
	}
	json_array_foreach(v, i, child) {
		sum += bytes_within(child, seen);
	}
	json_object_foreach(v, key, child) {
		if (!is_label(key))
			sum += bytes_within(child, seen);
	}
	return sum;
}

static void
count_said(struct completion *c, json_t *said)
{
	json_t *seen = json_object();

	c->said_bytes += bytes_within(said, seen);
	json_decref(seen);
}

/* The choice that is our answer: who says no index goes by the order. */
static bool
is_first(json_t *choice, size_t at)
{
	json_t *index = json_object_get(choice, "index");

	return json_is_number(index) ? json_number_value(index) == 0 : at == 0;
}

static void
take_text(struct completion *c, json_t *text)
{
	if (json_is_string(text) &&
	    buf_add(&c->content, json_string_value(text),
	        json_string_length(text)) != ERR_OK)
		fail(c, COMPLETION_TOOBIG, "more than %zu bytes of content",
		    COMPLETION_CONTENT_MAX);
}

/* One choice, whose text is in `part` ("delta" or "message"): a string, or an
 * array of {"type":"text","text":...}. */
static void
take_choice(struct completion *c, json_t *choice, const char *part)
{
	json_t *text =
	    json_object_get(json_object_get(choice, part), "content");
	json_t *finish = json_object_get(choice, "finish_reason"), *piece;
	size_t i;

	take_text(c, text);
	json_array_foreach(text, i, piece) {
		if (strcmp(jlenient_text(piece, "type"), "text") == 0)
			take_text(c, json_object_get(piece, "text"));
	}
	/* "length", and "stop" after it, is an answer cut off all the same. */
	if (json_is_string(finish) &&
	    (!*c->finish || fault_of_reason(c->finish) == COMPLETION_GOOD))
		mask_format(c->finish, sizeof c->finish, "%s",
		    json_string_value(finish));
}

static void
take_root(struct completion *c, json_t *root, const char *part)
{
	json_t *choices = json_object_get(root, "choices"), *choice;
	bool is_taken = false;
	size_t i;

	if (take_error(c, root))
		return;
	/* Beside the answer some streams say that they live, or who they are;
	 * whether there was an answer, the end shows. */
	if (!choices && strcmp(part, "delta") == 0) {
		c->has_others = true;
		take_usage(c, json_object_get(root, "usage"));
		return;
	}
	if (!json_is_array(choices)) {
		fail(c, COMPLETION_GARBAGE, no_chat);
		return;
	}
	c->has_choices = true;
	if (!*c->model && json_is_string(json_object_get(root, "model")))
		mask_format(c->model, sizeof c->model, "%s",
		    json_string_value(json_object_get(root, "model")));
	take_usage(c, json_object_get(root, "usage"));
	/* An empty list is no fault: the event that carries usage alone has
	 * one. */
	json_array_foreach(choices, i, choice) {
		count_said(c, json_object_get(choice, part));
		if (!is_taken && is_first(choice, i)) {
			take_choice(c, choice, part);
			is_taken = true;
		}
	}
}

/* The number of a \\uXXXX at p; -1: there is none. */
static long
escaped_at(const char *p, const char *end)
{
	char hex[5] = "", *stop;
	long v;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u' ||
	    !isxdigit((unsigned char)p[2]))
		return -1;
	memcpy(hex, p + 2, 4);
	v = strtol(hex, &stop, 16);
	return *stop ? -1 : v;
}

#define IS_HIGH(v) ((v) >= 0xd800 && (v) < 0xdc00)
#define IS_LOW(v)  ((v) >= 0xdc00 && (v) < 0xe000)

/*
 * Some servers cut an answer by UTF-16 units: half of a character in one
 * event, half in the next.  No JSON has a half, and none of C's text a NUL; for
 * a kernel the character means nothing, and the answer was paid for.
 */
static void
mend_escapes(char *text, size_t n)
{
	const char *end = text + n;

	for (char *p = text; p < end; p++) {
		long v = escaped_at(p, end);

		if (v < 0) {
			p += *p == '\\';
			continue;
		}
		if (IS_HIGH(v) && IS_LOW(escaped_at(p + 6, end)))
			p += 6;
		else if (v == 0 || IS_HIGH(v) || IS_LOW(v))
			for (size_t i = 0; i < 4; i++)
				p[2 + i] = "fffd"[i];
		p += 5;
	}
}

static json_t *
read_json(const char *text, size_t n, json_error_t *error)
{
	/* Usage that no integer holds, or a key said twice, is odd, but the
	 * answer beside it was paid for. */
	json_t *root = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, error);
	char *mended;

	if (root || !memmem(text, n, "\\u", 2))
		return root;
	mended = xstrndup(text, n);
	mend_escapes(mended, strlen(mended));
	root =
	    json_loadb(mended, strlen(mended), JSON_DECODE_INT_AS_REAL, error);
	free(mended);
	return root;
}

static void
take_json(struct completion *c, const char *text, size_t n, const char *part)
{
	json_error_t error;
	json_t *root = read_json(text, n, &error);

	if (!json_is_object(root))
		fail(c, COMPLETION_GARBAGE, "not a JSON object: %.60s",
		    root ? "another value" : error.text);
	else
		take_root(c, root, part);
	json_decref(root);
}

void
completion_event(struct completion *c, const char *data, size_t n)
{
	if (c->fault != COMPLETION_GOOD || c->done || n == 0)
		return;
	if (sse_end_is_done((struct slice){ data, n })) {
		c->done = true;
		return;
	}
	take_json(c, data, n, "delta");
}

void
completion_body(struct completion *c, const char *body, size_t n)
{
	take_json(c, body, n, "message");
	c->done = c->fault == COMPLETION_GOOD;
}

enum completion_fault
completion_end(struct completion *c)
{
	char *reason;

	if (c->fault != COMPLETION_GOOD)
		return c->fault;
	reason = claim_quote(c->finish, sizeof c->finish);
	if (c->has_others && !c->has_choices)
		fail(c, COMPLETION_GARBAGE, no_chat);
	else if (!sse_end_is_whole(c->done, *c->finish))
		fail(c, COMPLETION_CUT,
		    "the stream ended after %zu bytes of content with neither "
		    "[DONE] nor a finish reason",
		    c->content.len);
	else if (*c->finish && fault_of_reason(c->finish) != COMPLETION_GOOD)
		fail(c, fault_of_reason(c->finish),
		    "the answer ended with finish_reason %s", reason);
	else if (c->content.len == 0)
		fail(c, COMPLETION_EMPTY, "a complete answer without content");
	free(reason);
	return c->fault;
}

bool
completion_error_text(const char *text, size_t n, char *out, size_t size,
    bool *ret_quota)
{
	json_t *root = json_loadb(text, n, 0, NULL);
	bool found = error_of(root, out, size, ret_quota);

	json_decref(root);
	return found;
}
