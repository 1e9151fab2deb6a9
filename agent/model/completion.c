/*
 * Putting an answer together.
 *
 * A stream ends well in two ways: [DONE], or a finish reason and then the
 * end.  SDKs take every end for a good one; we do not, because a cut kernel
 * often still parses.  An event with an error object is the other side
 * giving up under HTTP 200.
 */
#include "agent/model/completion.h"

#include "base/sse_end.h"
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COMPLETION_TOKENS_MAX 1e9

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

/* Finish reasons and what they mean; one that is not here is no success. */
static const struct {
	const char *reason;
	enum completion_fault fault;
} completion_reasons[] = {
	{ "stop", COMPLETION_GOOD },
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
	*c =
	    (struct completion){ .prompt_tokens = -1, .completion_tokens = -1 };
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
	(void)vsnprintf(c->detail, sizeof c->detail, fmt, ap);
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
	(void)snprintf(out, size, "%s", text ? text : "an error without words");
	*ret_quota = is_quota(error);
	return true;
}

static bool
take_error(struct completion *c, json_t *root)
{
	char text[200];
	bool quota;

	if (!error_of(root, text, sizeof text, &quota))
		return false;
	fail(c, quota ? COMPLETION_QUOTA : COMPLETION_ERROR, "%s", text);
	return true;
}

/* A number of tokens that can be one; else what was known. */
static long
count_of(json_t *v, long otherwise)
{
	double n = json_is_number(v) ? json_number_value(v) : -1;

	return n >= 0 && n <= COMPLETION_TOKENS_MAX ? (long)n : otherwise;
}

static void
take_usage(struct completion *c, json_t *usage)
{
	json_t *in = json_object_get(usage, "prompt_tokens");
	json_t *out = json_object_get(usage, "completion_tokens");

	c->prompt_tokens = count_of(in, c->prompt_tokens);
	c->completion_tokens = count_of(out, c->completion_tokens);
}

static enum completion_fault
fault_of_reason(const char *reason)
{
	for (size_t i = 0; i < COUNT(completion_reasons); i++)
		if (strcmp(completion_reasons[i].reason, reason) == 0)
			return completion_reasons[i].fault;
	return COMPLETION_REASON;
}

/* One choice, whose text is in `part` ("delta" or "message"). */
static void
take_choice(struct completion *c, json_t *choice, const char *part)
{
	json_t *text =
	    json_object_get(json_object_get(choice, part), "content");
	json_t *finish = json_object_get(choice, "finish_reason");

	if (json_is_string(text) &&
	    buf_add(&c->content, json_string_value(text),
	        json_string_length(text)) != ERR_OK)
		fail(c, COMPLETION_TOOBIG, "more than %zu bytes of content",
		    COMPLETION_CONTENT_MAX);
	/* "length", and "stop" after it, is an answer cut off all the same. */
	if (json_is_string(finish) &&
	    (!*c->finish || fault_of_reason(c->finish) == COMPLETION_GOOD))
		(void)snprintf(c->finish, sizeof c->finish, "%s",
		    json_string_value(finish));
}

static void
take_root(struct completion *c, json_t *root, const char *part)
{
	json_t *choices = json_object_get(root, "choices");

	if (take_error(c, root))
		return;
	if (!json_is_array(choices)) {
		fail(c, COMPLETION_GARBAGE,
		    "JSON without choices is no chat completion");
		return;
	}
	if (!*c->model && json_is_string(json_object_get(root, "model")))
		(void)snprintf(c->model, sizeof c->model, "%s",
		    json_string_value(json_object_get(root, "model")));
	take_usage(c, json_object_get(root, "usage"));
	/* An empty list is no fault: the event that carries usage alone has
	 * one. */
	if (json_array_size(choices) > 0)
		take_choice(c, json_array_get(choices, 0), part);
}

static void
take_json(struct completion *c, const char *text, size_t n, const char *part)
{
	json_error_t error;
	/* Usage that no integer holds, or a key said twice, is odd, but the
	 * answer beside it was paid for. */
	json_t *root = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, &error);

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
	if (c->fault != COMPLETION_GOOD)
		return c->fault;
	if (!sse_end_is_whole(c->done, *c->finish))
		fail(c, COMPLETION_CUT,
		    "the stream ended after %zu bytes of content with neither "
		    "[DONE] nor a finish reason",
		    c->content.len);
	else if (*c->finish && fault_of_reason(c->finish) != COMPLETION_GOOD)
		fail(c, fault_of_reason(c->finish),
		    "the answer ended with finish_reason \"%s\"", c->finish);
	else if (c->content.len == 0)
		fail(c, COMPLETION_EMPTY, "a complete answer without content");
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
