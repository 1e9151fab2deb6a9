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
#include "chaos/text/dialect.h"
#include "chaos/text/ndjson_lines.h"

#define BODY_MAX  ((size_t)1 << 20) /* what is kept of a whole answer */
#define EVENT_MAX ((size_t)1 << 20)
#define ARGS_MAX  ((size_t)1 << 16)

struct answer_worth {
	struct answer_worth_head head;
	const struct dialect *dialect; /* NULL: framing alone is read */
	bool is_stream, is_json, is_coded, has_ended;
	bool is_rpc; /* of a JSON-RPC call */
	enum item_end end;
	uint64_t bytes, promised, events;
	bool has_promise;
	struct sse_parser *sse;     /* owned; of events */
	struct ndjson_lines *lines; /* owned; of lines */
	struct buf body;            /* a whole answer */
	/* content */
	bool is_read, has_error, is_bad, has_done;
	bool says_something, is_finished, is_cut_short, has_torn_calls;
	struct buf args; /* of the last tool call, as far as it came */
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
answer_worth_new(const struct dialect *dialect)
{
	struct answer_worth *r = xcalloc(1, sizeof *r);

	r->dialect = dialect;
	r->head.retry_after_ms = -1;
	r->head.should_retry = -1;
	buf_init(&r->body, BODY_MAX);
	buf_init(&r->args, ARGS_MAX);
	return r;
}

void
answer_worth_expect_rpc(struct answer_worth *r)
{
	r->is_rpc = true;
}

void
answer_worth_free(struct answer_worth *r)
{
	if (!r)
		return;
	sse_parser_free(r->sse);
	ndjson_lines_free(r->lines);
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
	r->is_stream = a->is_stream ||
	    (type && strncasecmp(type, "text/event-stream", 17) == 0);
	r->is_json = type && strncasecmp(type, "application/json", 16) == 0;
	r->is_coded = coding && strcasecmp(coding, "identity") != 0;
	/* Of events nothing is seen through a coding. */
	r->is_stream &= !r->is_coded;
	r->has_promise = a->has_length;
	r->promised = a->content_bytes;
	if (r->is_stream && a->is_lines)
		r->lines = ndjson_lines_new(EVENT_MAX);
	else if (r->is_stream)
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

/* The arguments that came for the last call parse as JSON. */
static bool
has_whole_args(const struct answer_worth *r)
{
	json_t *v =
	    json_loadb(r->args.data, r->args.len, JSON_DECODE_ANY, NULL);
	bool is_whole = v != NULL;

	json_decref(v);
	return is_whole;
}

/* Arguments that are JSON are whole by themselves; those in strings come in
 * pieces, and a tool without any may have none. */
static void
read_args(struct answer_worth *r, struct slice json)
{
	struct dialect_hit hits[DIALECT_HITS];
	size_t n = dialect_hits(r->dialect, json, DIALECT_ARGS, hits);
	struct jtext piece;

	for (size_t i = 0; i < n; i++) {
		if (hits[i].place->is_again)
			continue;
		r->says_something = true;
		if (jtext_read(json, hits[i].span, &piece) != ERR_OK)
			continue;
		if (!r->is_stream)
			buf_clear(&r->args);
		buf_add(&r->args, piece.p, piece.n);
		jtext_done(&piece);
		if (!r->is_stream && r->args.len && !has_whole_args(r))
			r->has_torn_calls = true;
	}
}

/* A call's id begins its arguments anew; those before it had to be whole. */
static void
read_call(struct answer_worth *r, struct slice json)
{
	struct jspan id;

	if (!dialect_hit(r->dialect, json, DIALECT_TOOL_ID, &id) &&
	    !dialect_hit(r->dialect, json, DIALECT_TOOL_NAME, &id))
		return;
	r->says_something = r->head.calls_tool = true;
	if (r->args.len && !has_whole_args(r))
		r->has_torn_calls = true;
	buf_clear(&r->args);
}

static void
read_finish(struct answer_worth *r, struct slice json)
{
	const char *const *words = r->dialect->words;
	struct jspan span;
	struct slice word;

	if (!dialect_has_finish(r->dialect, json) ||
	    !dialect_hit(r->dialect, json, DIALECT_FINISH, &span))
		return;
	r->is_finished = true;
	word = (struct slice){ json.p + span.at + 1, span.n - 2 };
	r->is_cut_short = slice_is(word, words[DIALECT_LENGTH]);
	/* Nobody mistakes a filter's word for silence. */
	if (words[DIALECT_FILTER] && slice_is(word, words[DIALECT_FILTER]) &&
	    !r->is_cut_short)
		r->says_something = true;
}

static bool
says_text(const struct answer_worth *r, struct slice json,
    enum dialect_role role)
{
	struct dialect_hit hits[DIALECT_HITS];
	size_t n = dialect_hits(r->dialect, json, role, hits);

	for (size_t i = 0; i < n; i++)
		if (json.p[hits[i].span.at] == '"' && hits[i].span.n > 2)
			return true;
	return false;
}

static void
read_content(struct answer_worth *r, struct slice json)
{
	if (says_text(r, json, DIALECT_TEXT) ||
	    says_text(r, json, DIALECT_REFUSAL))
		r->says_something = true;
	read_call(r, json);
	read_args(r, json);
	read_finish(r, json);
}

/* A tool that failed says so in its result (MCP). */
static void
read_rpc(struct answer_worth *r, json_t *v)
{
	json_t *result = json_object_get(v, "result");

	if (result)
		r->says_something = r->is_finished = true;
	if (json_is_true(json_object_get(result, "isError")))
		r->has_error = true;
}

static void
read_json(struct answer_worth *r, struct slice text)
{
	json_t *v = json_loadb(text.p, text.n, 0, NULL);
	json_t *error = json_object_get(v, "error");
	const char *type = json_string_value(json_object_get(v, "type"));

	if (!v)
		r->is_bad = true;
	if (type && strcmp(type, "error") == 0)
		read_error(r, error ? error : v);
	else if (error && !json_is_null(error))
		read_error(r, error);
	if (v && r->dialect)
		read_content(r, text);
	if (r->is_rpc)
		read_rpc(r, v);
	json_decref(v);
}

/* Chat completions name no events: what has a name there is not theirs. */
static bool
is_ours(const struct answer_worth *r, struct slice event)
{
	return event.n == 0 || slice_is(event, "message") ||
	    slice_is(event, "error") ||
	    (r->dialect && r->dialect != &dialect_chat);
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
	else if (is_ours(r, it->event))
		read_json(r, it->data);
	return true;
}

void
answer_worth_add(struct answer_worth *r, struct slice raw)
{
	r->bytes += raw.n;
	if (r->sse && sse_feed(r->sse, raw.p, raw.n, on_sse, r) != ERR_OK)
		r->is_bad = true;
	if (r->lines &&
	    ndjson_lines_feed(r->lines, raw.p, raw.n, on_sse, r) != ERR_OK)
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
	    r->bytes == r->body.len && r->bytes > 0) {
		r->is_read = true;
		read_json(r, body);
	}
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

/* Arguments that never came are none; half of some are torn. */
static bool
has_torn_calls(const struct answer_worth *r)
{
	return r->has_torn_calls || (r->args.len && !has_whole_args(r));
}

/* The stream said all that its API says at an end. */
static bool
is_complete(const struct answer_worth *r)
{
	return r->is_finished &&
	    (r->is_rpc || r->has_done || !r->dialect->done);
}

static bool
is_cut(const struct answer_worth *r)
{
	if (!r->has_ended || r->end != ITEM_END_CLEAN)
		return true;
	if (r->has_promise && !r->is_stream && r->bytes < r->promised)
		return true;
	if (r->is_cut_short || has_torn_calls(r))
		return true;
	if (r->is_stream && r->is_rpc)
		return !r->is_finished;
	return r->is_stream && r->dialect &&
	    !sse_end_is_whole(r->has_done, r->is_finished);
}

/* A page, or nothing like JSON, where a model was asked. */
static bool
is_no_answer(const struct answer_worth *r)
{
	return (r->dialect || r->is_rpc) && !r->is_stream && !r->is_json &&
	    !r->is_coded && r->bytes > 0 && r->head.status < 300;
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
	if (is_complete(r) && !r->is_cut_short && !r->is_bad &&
	    r->says_something && !has_torn_calls(r))
		return WORTH_GOOD; /* all was said, however it ended */
	if (is_cut(r))
		return WORTH_TRUNCATED;
	if (r->is_bad)
		return WORTH_GARBLED;
	/* 202 answers a JSON-RPC notification, and 204 says that there is
	 * nothing (RFC 9110, 15.3.5). */
	if (r->bytes == 0 && r->head.status != 202 && r->head.status != 204)
		return WORTH_EMPTY;
	if (is_no_answer(r) || (r->is_rpc && r->is_read && !r->is_finished))
		return WORTH_GARBLED;
	if (r->dialect && (r->is_stream || r->is_read) && !r->says_something)
		return WORTH_EMPTY;
	return WORTH_GOOD;
}
