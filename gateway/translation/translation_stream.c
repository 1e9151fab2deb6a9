/*
 * A stream's events, as they come.
 *
 * Messages speak in blocks that begin and end, one after the other; chat in
 * pieces of one message.  Towards messages a block is opened when a piece is
 * of another kind than the last one; chat's tokens are counted behind its
 * finish, so the last events are held.
 */
#include "gateway/translation/translation_stream_priv.h"

#include "base/mem.h"
#include "base/sse.h"
#include "base/sse_end.h"
#include "base/units.h"
#include "gateway/text/token_estimate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct translation_stream *
translation_stream_new(enum schema_kind to, uint64_t now_s,
    size_t event_bytes_max, uint64_t tokens_in)
{
	struct translation_stream *s = xcalloc(1, sizeof *s);

	s->to = to;
	s->now_s = now_s;
	s->guess.in = tokens_in;
	s->sse = sse_parser_new(event_bytes_max);
	s->id = json_string("");
	s->model = json_string("");
	s->call_id = json_string("");
	s->usage = json_object();
	s->block = s->call = -1;
	for (size_t i = 0; i < TRANSLATION_BLOCKS_MAX; i++)
		s->calls[i] = TRANSLATION_NO_TOOL;
	return s;
}

void
translation_stream_free(struct translation_stream *s)
{
	if (!s)
		return;
	sse_parser_free(s->sse);
	json_decref(s->id);
	json_decref(s->model);
	json_decref(s->call_id);
	json_decref(s->usage);
	free(s);
}

uint64_t
translation_stream_unsaid(const struct translation_stream *s)
{
	return s->unsaid;
}

uint64_t
translation_stream_made(const struct translation_stream *s)
{
	return token_estimate_stream(s->said + s->unsaid, s->bytes);
}

struct slice
translation_stream_pending(const struct translation_stream *s)
{
	return sse_pending(s->sse);
}

bool
translation_stream_is_finished(const struct translation_stream *s)
{
	return s->finish[0] != '\0';
}

bool
translation_stream_is_between(const struct translation_stream *s)
{
	return s->is_between;
}

const char *
translation_stream_untold(const struct translation_stream *s)
{
	return s->untold;
}

void
translation_stream_counted(const struct translation_stream *s,
    struct chunk *ret)
{
	translation_read_counts(s->to, s->usage, ret);
}

void
translation_stream_count_piece(struct translation_stream *s, uint64_t *pieces,
    const char *text)
{
	*pieces += text && *text;
	s->bytes += text ? strlen(text) : 0;
}

/* ---- writing */

/* Takes the tree. */
void
translation_stream_put_event(struct translation_stream *s, json_t *event)
{
	const char *type = translation_text(event, "type");

	if (s->e == ERR_OK && s->to == SCHEMA_MESSAGES)
		s->e = buf_addf(s->out, "event: %s\n", type);
	if (s->e == ERR_OK)
		s->e = buf_adds(s->out, "data: ");
	if (s->e == ERR_OK)
		s->e = translation_put(s->out, event);
	if (s->e == ERR_OK)
		s->e = buf_adds(s->out, "\n\n");
	json_decref(event);
}

/* Says that the stream has failed; nothing follows it. */
static void
put_error(struct translation_stream *s, const char *message, const char *code)
{
	s->is_over = true;
	if (s->to == SCHEMA_MESSAGES)
		translation_stream_put_event(s,
		    json_pack("{s:s, s:{s:s, s:s}}", "type", "error", "error",
		        "type", "api_error", "message", message));
	else
		translation_stream_put_event(s,
		    json_pack("{s:{s:s, s:s, s:n, s:s}}", "error", "message",
		        message, "type", "upstream_error", "param", "code",
		        code));
}

void
translation_stream_put_untold(struct translation_stream *s, const char *what)
{
	char message[160];

	snprintf(s->untold, sizeof s->untold, "%s", *what ? what : "nothing");
	snprintf(message, sizeof message,
	    "the answer has what this API has no word for: %s", s->untold);
	put_error(s, message, "untranslatable");
}

void
translation_stream_pass_error(struct translation_stream *s, struct slice data)
{
	char message[512], code[64];

	translation_error(data, message, sizeof message, code, sizeof code);
	put_error(s, message, code);
}

/* What has been used, when the answer is at its end. */
json_t *
translation_stream_usage_told(struct translation_stream *s)
{
	s->guess.out = translation_stream_made(s);
	return translation_usage(s->to, s->usage, &s->guess);
}

/* ---- messages' events, as chat's */

static void
put_chunk(struct translation_stream *s, json_t *choices)
{
	translation_stream_put_event(s,
	    json_pack("{s:O, s:s, s:I, s:O, s:o}", "id", s->id, "object",
	        "chat.completion.chunk", "created", (json_int_t)s->now_s,
	        "model", s->model, "choices", choices));
}

/* Takes the delta; finish: NULL for none. */
static void
put_delta(struct translation_stream *s, json_t *delta, const char *finish)
{
	put_chunk(s,
	    json_pack("[{s:i, s:o, s:s?}]", "index", 0, "delta", delta,
	        "finish_reason", finish));
}

static void
put_text(struct translation_stream *s, const char *name, json_t *text)
{
	translation_stream_count_piece(s, &s->said, json_string_value(text));
	put_delta(s, json_pack("{s:O}", name, text), NULL);
}

static void
put_arguments(struct translation_stream *s, size_t block, json_t *text)
{
	s->has_arguments[block] = true;
	translation_stream_count_piece(s, &s->said, json_string_value(text));
	put_delta(s,
	    json_pack("{s:[{s:i, s:{s:o}}]}", "tool_calls", "index",
	        s->calls[block], "function", "arguments", text),
	    NULL);
}

static void
begin_message(struct translation_stream *s, json_t *event)
{
	json_t *m = json_object_get(event, "message");

	translation_keep(&s->id, json_object_get(m, "id"));
	translation_keep(&s->model, json_object_get(m, "model"));
	translation_add_usage(s->usage, json_object_get(m, "usage"));
	put_delta(s,
	    json_pack("{s:s, s:s}", "role", "assistant", "content", ""), NULL);
}

/* The number of the block that an event is of; false: none that is kept. */
static bool
block_of(struct translation_stream *s, json_t *event, size_t *ret)
{
	json_int_t i = json_integer_value(json_object_get(event, "index"));

	if (i < 0 || i >= TRANSLATION_BLOCKS_MAX) {
		translation_stream_put_untold(s, "too many blocks");
		return false;
	}
	*ret = (size_t)i;
	return true;
}

static void
begin_tool(struct translation_stream *s, size_t i, json_t *block)
{
	json_t *input = json_object_get(block, "input");

	if (!*translation_text(block, "name")) {
		translation_stream_put_untold(s, "a call of nothing");
		return;
	}
	s->calls[i] = s->ncalls++;
	s->said++;
	put_delta(s,
	    json_pack("{s:[{s:i, s:s, s:s, s:{s:s, s:s}}]}", "tool_calls",
	        "index", s->calls[i], "id", translation_text(block, "id"),
	        "type", "function", "function", "name",
	        translation_text(block, "name"), "arguments", ""),
	    NULL);
	if (json_object_size(input) > 0)
		put_arguments(s, i, translation_quoted(input));
}

static void
begin_block(struct translation_stream *s, json_t *event)
{
	json_t *block = json_object_get(event, "content_block");
	const char *type = translation_text(block, "type");
	size_t i;

	s->is_between = false;
	if (!block_of(s, event, &i))
		return;
	if (strcmp(type, "tool_use") == 0)
		begin_tool(s, i, block);
	else if (strcmp(type, "text") == 0 && *translation_text(block, "text"))
		put_text(s, "content", json_object_get(block, "text"));
	else if (strcmp(type, "text") != 0 && strcmp(type, "thinking") != 0 &&
	    strcmp(type, "redacted_thinking") != 0)
		translation_stream_put_untold(s, type);
}

static void
pass_delta(struct translation_stream *s, json_t *event)
{
	static const struct {
		const char *type, *has, *name; /* NULL: it is not told */
	} rows[] = {
		{ "signature_delta", NULL, NULL },
		{ "text_delta", "text", "content" },
		{ "thinking_delta", "thinking", "reasoning_content" },
	};
	json_t *delta = json_object_get(event, "delta"), *text;
	const char *type = translation_text(delta, "type");
	size_t i;

	if (!block_of(s, event, &i))
		return;
	if (strcmp(type, "input_json_delta") == 0 &&
	    s->calls[i] != TRANSLATION_NO_TOOL) {
		text = json_object_get(delta, "partial_json");
		if (json_string_length(text) > 0)
			put_arguments(s, i, json_incref(text));
		return;
	}
	for (i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].type, type) != 0)
			continue;
		text = rows[i].has ? json_object_get(delta, rows[i].has) : NULL;
		if (json_string_length(text) > 0)
			put_text(s, rows[i].name, text);
		return;
	}
	translation_stream_put_untold(s, type);
}

/* A call without arguments has none in messages, and {} in chat. */
static void
end_block(struct translation_stream *s, json_t *event)
{
	size_t i;

	s->is_between = true;
	if (block_of(s, event, &i) && s->calls[i] != TRANSLATION_NO_TOOL &&
	    !s->has_arguments[i])
		put_arguments(s, i, json_string("{}"));
}

static void
put_used(struct translation_stream *s)
{
	translation_stream_put_event(s,
	    json_pack("{s:O, s:s, s:I, s:O, s:[], s:o}", "id", s->id, "object",
	        "chat.completion.chunk", "created", (json_int_t)s->now_s,
	        "model", s->model, "choices", "usage",
	        translation_stream_usage_told(s)));
}

static void
end_message(struct translation_stream *s, json_t *event)
{
	json_t *delta = json_object_get(event, "delta");
	const char *why = translation_text(delta, "stop_reason"), *word;

	translation_add_usage(s->usage, json_object_get(event, "usage"));
	if (!*why)
		return;
	snprintf(s->finish, sizeof s->finish, "%s", why);
	word = translation_finish(SCHEMA_CHAT, why, false);
	if (!word) {
		translation_stream_put_untold(s, why);
		return;
	}
	put_delta(s, json_object(), word);
	put_used(s);
}

static void
stop_message(struct translation_stream *s, json_t *event)
{
	(void)event;
	/* It has not said why it ends. */
	if (!s->finish[0])
		put_used(s);
	s->is_over = true;
	if (s->e == ERR_OK)
		s->e = buf_adds(s->out, "data: " SSE_DONE "\n\n");
}

static void
take_message_event(struct translation_stream *s, json_t *event,
    const struct sse_item *item)
{
	static const struct {
		const char *type;
		void (*take)(struct translation_stream *s, json_t *event);
	} rows[] = {
		{ "content_block_delta", pass_delta },
		{ "content_block_start", begin_block },
		{ "content_block_stop", end_block },
		{ "message_delta", end_message },
		{ "message_start", begin_message },
		{ "message_stop", stop_message },
	};
	const char *type = translation_text(event, "type");

	if (strcmp(type, "error") == 0) {
		translation_stream_pass_error(s, item->data);
		return;
	}
	/* Others are pings, and what may be there tomorrow: they add nothing.
	 */
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].type, type) == 0)
			rows[i].take(s, event);
}

/* ---- any event */

static bool
on_item(const struct sse_item *item, void *arg)
{
	struct translation_stream *s = arg;
	json_t *event;

	/* That somebody is still there. */
	if (item->kind == SSE_COMMENT && !s->is_over)
		s->e = buf_add(s->out, item->raw.p, item->raw.n);
	if (s->is_over || item->data.n == 0 || item->kind != SSE_EVENT)
		return s->e == ERR_OK;
	if (sse_end_is_done(item->data)) {
		translation_stream_finish_answer(s, true);
		return true;
	}
	event = translation_parse(item->data, TRANSLATION_OF_ANSWER);
	/* Whoever reads this decides what an event that is none means. */
	if (!translation_is_object(event))
		s->e = buf_add(s->out, item->raw.p, item->raw.n);
	else if (s->to == SCHEMA_CHAT)
		take_message_event(s, event, item);
	else
		translation_stream_take_chunk(s, event, item);
	json_decref(event);
	return s->e == ERR_OK;
}

enum err
translation_stream_feed(struct translation_stream *s, const char *p, size_t n,
    struct buf *out)
{
	enum err e;

	s->out = out;
	e = sse_feed(s->sse, p, n, on_item, s);
	return s->e != ERR_OK ? s->e : e;
}

enum err
translation_stream_end(struct translation_stream *s, struct buf *out)
{
	s->out = out;
	if (s->to == SCHEMA_MESSAGES)
		translation_stream_finish_answer(s, false);
	return s->e;
}
