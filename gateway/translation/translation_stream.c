/*
 * A stream's events, as they come.
 *
 * Messages speak in blocks that begin and end, one after the other; chat in
 * pieces of one message.  Towards messages a block is opened when a piece is
 * of another kind than the last one; chat's tokens are counted behind its
 * finish, so the last events are held.
 */
#include "gateway/translation/translation_priv.h"

#include "base/mem.h"
#include "base/sse.h"
#include "base/sse_end.h"
#include "base/units.h"
#include "gateway/text/token_estimate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 256
#define FINISH_MAX 40
#define NO_TOOL    (-1)

enum open_block { OPEN_NONE, OPEN_TEXT, OPEN_TOOL };

struct translation_stream {
	enum schema_kind to;
	uint64_t now_s;
	struct sse_parser *sse;
	struct buf *out; /* while it is fed */
	enum err e;
	bool is_over;                 /* its end, or that it failed, is told */
	uint64_t said, unsaid, bytes; /* pieces, and of them all */
	struct translation_guess guess;
	json_t *id, *model, *usage; /* in the upstream's words */
	/* Towards chat: each block's call, and whether it had arguments. */
	int calls[BLOCKS_MAX], ncalls;
	bool has_arguments[BLOCKS_MAX];
	/* Towards messages. */
	bool is_begun, is_refused;
	enum open_block open;
	json_int_t block, call; /* the open one's, the last one's */
	json_t *call_id;        /* the last one's */
	char finish[FINISH_MAX];
};

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
	for (size_t i = 0; i < BLOCKS_MAX; i++)
		s->calls[i] = NO_TOOL;
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

bool
translation_stream_is_guess(const struct translation_stream *s)
{
	return !translation_is_counted(s->to, s->usage);
}

static void
count_piece(struct translation_stream *s, uint64_t *pieces, const char *text)
{
	*pieces += text && *text;
	s->bytes += text ? strlen(text) : 0;
}

/* ---- writing */

/* Takes the tree. */
static void
put_event(struct translation_stream *s, json_t *event)
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
		put_event(s,
		    json_pack("{s:s, s:{s:s, s:s}}", "type", "error", "error",
		        "type", "api_error", "message", message));
	else
		put_event(s,
		    json_pack("{s:{s:s, s:s, s:n, s:s}}", "error", "message",
		        message, "type", "upstream_error", "param", "code",
		        code));
}

static void
put_untold(struct translation_stream *s, const char *what)
{
	char message[160];

	snprintf(message, sizeof message,
	    "the answer has what this API has no word for: %.80s", what);
	put_error(s, message, "untranslatable");
}

static void
pass_error(struct translation_stream *s, struct slice data)
{
	char message[512], code[64];

	translation_error(data, message, sizeof message, code, sizeof code);
	put_error(s, message, code);
}

/* What has been used, when the answer is at its end. */
static json_t *
usage_told(struct translation_stream *s)
{
	s->guess.out = translation_stream_made(s);
	return translation_usage(s->to, s->usage, &s->guess);
}

/* ---- messages' events, as chat's */

static void
put_chunk(struct translation_stream *s, json_t *choices)
{
	put_event(s,
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
	count_piece(s, &s->said, json_string_value(text));
	put_delta(s, json_pack("{s:O}", name, text), NULL);
}

static void
put_arguments(struct translation_stream *s, size_t block, json_t *text)
{
	s->has_arguments[block] = true;
	count_piece(s, &s->said, json_string_value(text));
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

	if (i < 0 || i >= BLOCKS_MAX) {
		put_untold(s, "too many blocks");
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
		put_untold(s, "a call of nothing");
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

	if (!block_of(s, event, &i))
		return;
	if (strcmp(type, "tool_use") == 0)
		begin_tool(s, i, block);
	else if (strcmp(type, "text") == 0 && *translation_text(block, "text"))
		put_text(s, "content", json_object_get(block, "text"));
	else if (strcmp(type, "text") != 0 && strcmp(type, "thinking") != 0 &&
	    strcmp(type, "redacted_thinking") != 0)
		put_untold(s, type);
}

static void
pass_delta(struct translation_stream *s, json_t *event)
{
	static const struct {
		const char *type, *has, *name; /* NULL: it is not told */
	} rows[] = {
		{ "citations_delta", NULL, NULL },
		{ "signature_delta", NULL, NULL },
		{ "text_delta", "text", "content" },
		{ "thinking_delta", "thinking", "reasoning_content" },
	};
	json_t *delta = json_object_get(event, "delta"), *text;
	const char *type = translation_text(delta, "type");
	size_t i;

	if (!block_of(s, event, &i))
		return;
	if (strcmp(type, "input_json_delta") == 0 && s->calls[i] != NO_TOOL) {
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
	put_untold(s, type);
}

/* A call without arguments has none in messages, and {} in chat. */
static void
end_block(struct translation_stream *s, json_t *event)
{
	size_t i;

	if (block_of(s, event, &i) && s->calls[i] != NO_TOOL &&
	    !s->has_arguments[i])
		put_arguments(s, i, json_string("{}"));
}

static void
end_message(struct translation_stream *s, json_t *event)
{
	json_t *delta = json_object_get(event, "delta");
	const char *why = translation_text(delta, "stop_reason");

	translation_add_usage(s->usage, json_object_get(event, "usage"));
	if (!*why)
		return;
	put_delta(s, json_object(),
	    translation_finish(SCHEMA_CHAT, why, false));
	put_event(s,
	    json_pack("{s:O, s:s, s:I, s:O, s:[], s:o}", "id", s->id, "object",
	        "chat.completion.chunk", "created", (json_int_t)s->now_s,
	        "model", s->model, "choices", "usage", usage_told(s)));
}

static void
stop_message(struct translation_stream *s, json_t *event)
{
	(void)event;
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
		pass_error(s, item->data);
		return;
	}
	/* Others are pings, and what may be there tomorrow: they add nothing.
	 */
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].type, type) == 0)
			rows[i].take(s, event);
}

/* ---- chat's events, as messages' */

static void
begin_answer(struct translation_stream *s, json_t *chunk)
{
	if (s->is_begun)
		return;
	s->is_begun = true;
	translation_keep(&s->id, json_object_get(chunk, "id"));
	translation_keep(&s->model, json_object_get(chunk, "model"));
	put_event(s,
	    json_pack("{s:s, s:{s:O, s:s, s:s, s:O, s:[], s:n, s:n, s:{s:i, "
	              "s:i}}}",
	        "type", "message_start", "message", "id", s->id, "type",
	        "message", "role", "assistant", "model", s->model, "content",
	        "stop_reason", "stop_sequence", "usage", "input_tokens", 0,
	        "output_tokens", 0));
}

static void
close_block(struct translation_stream *s)
{
	if (s->open != OPEN_NONE)
		put_event(s,
		    json_pack("{s:s, s:I}", "type", "content_block_stop",
		        "index", s->block));
	s->open = OPEN_NONE;
}

/* Takes the block. */
static void
open_block(struct translation_stream *s, enum open_block kind, json_t *block)
{
	close_block(s);
	s->open = kind;
	s->block++;
	put_event(s,
	    json_pack("{s:s, s:I, s:o}", "type", "content_block_start", "index",
	        s->block, "content_block", block));
}

static void
put_piece(struct translation_stream *s, const char *type, const char *name,
    json_t *text)
{
	count_piece(s, &s->said, json_string_value(text));
	put_event(s,
	    json_pack("{s:s, s:I, s:{s:s, s:O}}", "type", "content_block_delta",
	        "index", s->block, "delta", "type", type, name, text));
}

static void
say_text(struct translation_stream *s, json_t *text)
{
	if (json_string_length(text) == 0)
		return;
	if (s->open != OPEN_TEXT)
		open_block(s, OPEN_TEXT,
		    json_pack("{s:s, s:s}", "type", "text", "text", ""));
	put_piece(s, "text_delta", "text", text);
}

/* Where calls have no numbers, another id with a name is another call. */
static json_int_t
call_of(const struct translation_stream *s, json_t *call, bool is_other)
{
	json_t *i = json_object_get(call, "index");

	if (json_is_integer(i))
		return json_integer_value(i);
	return is_other || s->call < 0 ? s->call + 1 : s->call;
}

static void
say_call(struct translation_stream *s, json_t *call)
{
	json_t *f = json_object_get(call, "function");
	json_t *arguments = json_object_get(f, "arguments");
	json_t *id = json_object_get(call, "id");
	bool is_other = json_string_length(id) > 0 &&
	    *translation_text(f, "name") && !json_equal(id, s->call_id);
	json_int_t i = call_of(s, call, is_other);

	if (i < s->call ||
	    (i == s->call && (is_other || s->open != OPEN_TOOL))) {
		put_untold(s, "a call that goes on behind another one");
		return;
	}
	if (i > s->call && !*translation_text(f, "name")) {
		put_untold(s, "a call of nothing");
		return;
	}
	if (i > s->call) {
		s->said++;
		translation_keep(&s->call_id, id);
		open_block(s, OPEN_TOOL,
		    json_pack("{s:s, s:s, s:s, s:{}}", "type", "tool_use", "id",
		        translation_text(call, "id"), "name",
		        translation_text(f, "name"), "input"));
	}
	s->call = i;
	/* Some servers say the object itself. */
	arguments = json_is_object(arguments) ? translation_quoted(arguments)
	                                      : json_incref(arguments);
	if (json_string_length(arguments) > 0)
		put_piece(s, "input_json_delta", "partial_json", arguments);
	json_decref(arguments);
}

static void
say_delta(struct translation_stream *s, json_t *delta)
{
	static const char *const thoughts[] = { "reasoning",
		"reasoning_content" };
	static const char *const untold[] = { "audio", "function_call" };
	json_t *call, *content = json_object_get(delta, "content");
	size_t i;

	for (i = 0; i < COUNT(untold); i++)
		if (json_is_object(json_object_get(delta, untold[i]))) {
			put_untold(s, untold[i]);
			return;
		}
	if (json_array_size(content) > 0 || json_is_object(content)) {
		put_untold(s, "content in parts");
		return;
	}
	for (i = 0; i < COUNT(thoughts); i++)
		count_piece(s, &s->unsaid,
		    translation_text(delta, thoughts[i]));
	s->is_refused |= *translation_text(delta, "refusal") != '\0';
	say_text(s, content);
	say_text(s, json_object_get(delta, "refusal"));
	json_array_foreach(json_object_get(delta, "tool_calls"), i, call)
		if (!s->is_over)
			say_call(s, call);
}

/* Its end is known, and what it used. */
static void
finish_answer(struct translation_stream *s)
{
	const char *word = s->is_refused ? "content_filter" : s->finish;

	if (s->is_over || !s->finish[0])
		return;
	s->is_over = true;
	put_event(s,
	    json_pack("{s:s, s:{s:s, s:n}, s:o}", "type", "message_delta",
	        "delta", "stop_reason",
	        translation_finish(SCHEMA_MESSAGES, word, s->call >= 0),
	        "stop_sequence", "usage", usage_told(s)));
	put_event(s, json_pack("{s:s}", "type", "message_stop"));
}

static void
take_chunk(struct translation_stream *s, json_t *chunk,
    const struct sse_item *item)
{
	json_t *choices = json_object_get(chunk, "choices");
	json_t *choice = json_array_get(choices, 0);
	json_t *error = json_object_get(chunk, "error");
	const char *finish = translation_text(choice, "finish_reason");

	if (error && !json_is_null(error)) {
		pass_error(s, item->data);
		return;
	}
	translation_add_usage(s->usage, json_object_get(chunk, "usage"));
	if (!choice)
		return;
	if (json_array_size(choices) > 1 ||
	    json_integer_value(json_object_get(choice, "index")) != 0) {
		put_untold(s, "a second choice");
		return;
	}
	begin_answer(s, chunk);
	say_delta(s, json_object_get(choice, "delta"));
	if (s->is_over || !*finish)
		return;
	close_block(s);
	snprintf(s->finish, sizeof s->finish, "%s", finish);
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
		finish_answer(s);
		return true;
	}
	event = translation_parse(item->data, TRANSLATION_OF_ANSWER);
	/* Whoever reads this decides what an event that is none means. */
	if (!json_is_object(event))
		s->e = buf_add(s->out, item->raw.p, item->raw.n);
	else if (s->to == SCHEMA_CHAT)
		take_message_event(s, event, item);
	else
		take_chunk(s, event, item);
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
		finish_answer(s);
	return s->e;
}
