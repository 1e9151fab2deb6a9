/*
 * One answer, read twice over: its framing (did it end, and how) and its
 * content (did it say that it is finished, did it say anything).  A stream
 * is read event by event, a whole answer once it has ended.
 */
#include "chaos/http/answer_worth.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/retryafter.h"
#include "base/sse.h"
#include "base/sse_end.h"

#define BODY_MAX  ((size_t)1 << 20) /* what is kept of a whole answer */
#define EVENT_MAX ((size_t)1 << 20)
#define ARGS_MAX  ((size_t)1 << 16)

struct answer_worth {
	struct answer_worth_head head;
	bool is_stream, is_json, is_coded, has_ended;
	enum item_end end;
	uint64_t bytes, promised, events;
	bool has_promise;
	struct sse_parser *sse; /* owned */
	struct buf body;        /* a whole answer */
	/* content */
	bool is_chat, has_error, is_bad, has_done;
	bool says_something, is_finished, is_cut_short, has_calls;
	struct buf args; /* of a tool call that is streamed */
};

/* clang-format off */
static const char *const worth_names[WORTH_NWORTHS] = {
	[WORTH_GOOD]      = "good",
	[WORTH_EMPTY]     = "empty",
	[WORTH_TRUNCATED] = "truncated",
	[WORTH_GARBLED]   = "garbled",
	[WORTH_ERROR]     = "error",
	[WORTH_NOTHING]   = "nothing",
};

/* Errors that stay, whatever their status: codes and types that providers
 * use. */
static const char *const final_codes[] = {
	"billing_hard_limit_reached", "insufficient_quota",
	"invalid_api_key", "model_not_found",
};
/* clang-format on */

const char *
worth_name(enum worth w)
{
	return worth_names[w];
}

struct answer_worth *
answer_worth_new(void)
{
	struct answer_worth *r = xcalloc(1, sizeof *r);

	r->head.retry_after_ms = -1;
	r->head.should_retry = -1;
	buf_init(&r->body, BODY_MAX);
	buf_init(&r->args, ARGS_MAX);
	return r;
}

void
answer_worth_free(struct answer_worth *r)
{
	if (!r)
		return;
	sse_parser_free(r->sse);
	buf_done(&r->body);
	buf_done(&r->args);
	free(r);
}

/* ---- the head */

void
answer_worth_add_head(struct answer_worth *r, const struct answer_head *a,
    uint64_t now_s)
{
	const char *type = answer_head_get(a, "content-type");
	const char *should = answer_head_get(a, "x-should-retry");
	const char *coding = answer_head_get(a, "content-encoding");

	r->head.status = a->status;
	r->head.retry_after_ms =
	    retryafter_ms(slice_of(answer_head_get(a, "retry-after-ms")),
	        slice_of(answer_head_get(a, "retry-after")), now_s);
	if (should)
		r->head.should_retry = strcasecmp(should, "true") == 0;
	r->is_stream = type && strncasecmp(type, "text/event-stream", 17) == 0;
	r->is_json = type && strncasecmp(type, "application/json", 16) == 0;
	r->is_coded = coding && strcasecmp(coding, "identity") != 0;
	r->has_promise = a->has_length;
	r->promised = a->content_bytes;
	if (r->is_stream)
		r->sse = sse_parser_new(EVENT_MAX);
}

/* ---- content */

static void
read_error(struct answer_worth *r, json_t *error)
{
	const char *code = json_string_value(json_object_get(error, "code"));
	const char *type = json_string_value(json_object_get(error, "type"));

	r->has_error = true;
	for (size_t i = 0; i < COUNT(final_codes); i++)
		if ((code && strcmp(code, final_codes[i]) == 0) ||
		    (type && strcmp(type, final_codes[i]) == 0))
			r->head.is_final = true;
}

static void
read_calls(struct answer_worth *r, json_t *calls)
{
	json_t *call;
	size_t i;

	json_array_foreach(calls, i, call) {
		json_t *args =
		    json_object_get(json_object_get(call, "function"),
		        "arguments");

		r->has_calls = r->says_something = true;
		/* The index of a later call starts its arguments anew. */
		if (json_object_get(call, "id"))
			buf_clear(&r->args);
		if (json_is_string(args))
			buf_add(&r->args, json_string_value(args),
			    json_string_length(args));
	}
}

/* delta: a "message" of a whole answer, a "delta" of an event. */
static void
read_choice(struct answer_worth *r, json_t *choice)
{
	json_t *delta = json_object_get(choice, "delta");
	const char *finish =
	    json_string_value(json_object_get(choice, "finish_reason"));

	if (!delta)
		delta = json_object_get(choice, "message");
	/* A refusal is an answer too: the model was reached and said no. */
	if (json_string_length(json_object_get(delta, "content")) > 0 ||
	    json_string_length(json_object_get(delta, "refusal")) > 0)
		r->says_something = true;
	read_calls(r, json_object_get(delta, "tool_calls"));
	if (!finish)
		return;
	r->is_finished = true;
	r->is_cut_short = strcmp(finish, "length") == 0;
}

static void
read_json(struct answer_worth *r, struct slice text)
{
	json_t *v = json_loadb(text.p, text.n, 0, NULL), *choices, *choice;
	json_t *error = json_object_get(v, "error");
	size_t i;

	if (!v)
		r->is_bad = true;
	if (error && !json_is_null(error))
		read_error(r, error);
	choices = json_object_get(v, "choices");
	if (json_is_array(choices))
		r->is_chat = true;
	json_array_foreach(choices, i, choice) {
		read_choice(r, choice);
	}
	json_decref(v);
}

static bool
on_sse(const struct sse_item *it, void *arg)
{
	struct answer_worth *r = arg;

	/* Comments keep a stream alive and say nothing; an event without data
	 * is dropped by every client (WHATWG HTML, 9.2.6). */
	if (it->kind != SSE_EVENT || it->data.n == 0)
		return true;
	r->events++;
	if (sse_end_is_done(it->data))
		r->has_done = true;
	/* Named events are of other dialects, whose blocks have no "choices";
	 * the two names here are what chat clients read. */
	else if (it->event.n == 0 || slice_is(it->event, "message") ||
	    slice_is(it->event, "error"))
		read_json(r, it->data);
	return true;
}

void
answer_worth_add(struct answer_worth *r, struct slice raw)
{
	r->bytes += raw.n;
	if (r->sse && sse_feed(r->sse, raw.p, raw.n, on_sse, r) != ERR_OK)
		r->is_bad = true;
	if (!r->is_stream)
		buf_add(&r->body, raw.p, raw.n);
}

void
answer_worth_end(struct answer_worth *r, enum item_end end)
{
	struct slice body = { r->body.data, r->body.len };

	if (r->has_ended)
		return;
	r->has_ended = true;
	r->end = end;
	/* A body that was longer than we keep, or that is compressed, is not
	 * judged by its text: neither is proof of a bad answer. */
	if (r->head.status && !r->is_stream && r->is_json && !r->is_coded &&
	    r->bytes == r->body.len && r->bytes > 0)
		read_json(r, body);
}

/* ---- the sum of it */

const struct answer_worth_head *
answer_worth_head(const struct answer_worth *r)
{
	return &r->head;
}

uint64_t
answer_worth_bytes(const struct answer_worth *r)
{
	return r->bytes;
}

uint64_t
answer_worth_events(const struct answer_worth *r)
{
	return r->events;
}

bool
answer_worth_is_stream(const struct answer_worth *r)
{
	return r->is_stream;
}

/* The arguments of the last call parse as JSON. */
static bool
has_whole_calls(const struct answer_worth *r)
{
	json_t *v = json_loadb(r->args.data ? r->args.data : "", r->args.len,
	    JSON_DECODE_ANY, NULL);
	bool is_whole = v != NULL;

	json_decref(v);
	return is_whole;
}

static bool
is_cut(const struct answer_worth *r)
{
	if (!r->has_ended || r->end != ITEM_END_CLEAN)
		return true;
	if (r->has_promise && !r->is_stream && r->bytes < r->promised)
		return true;
	if (r->is_cut_short || (r->has_calls && !has_whole_calls(r)))
		return true;
	return r->is_stream && !sse_end_is_whole(r->has_done, r->is_finished);
}

enum worth
answer_worth_of(const struct answer_worth *r)
{
	if (r->head.status == 0)
		return WORTH_NOTHING;
	if (r->head.status >= 400 || r->has_error)
		return WORTH_ERROR;
	/* Before the framing is asked: after its last event a stream may be cut
	 * or reset, and the client has lost nothing. */
	if (r->is_finished && r->has_done && !r->is_cut_short && !r->is_bad &&
	    r->says_something && (!r->has_calls || has_whole_calls(r)))
		return WORTH_GOOD; /* all was said, however it ended */
	if (is_cut(r))
		return WORTH_TRUNCATED;
	if (r->is_bad)
		return WORTH_GARBLED;
	/* 202 answers a JSON-RPC notification, and 204 says that there is
	 * nothing (RFC 9110, 15.3.5). */
	if (r->bytes == 0 && r->head.status != 202 && r->head.status != 204)
		return WORTH_EMPTY;
	if ((r->is_chat || r->is_stream) && !r->says_something)
		return WORTH_EMPTY;
	return WORTH_GOOD;
}
