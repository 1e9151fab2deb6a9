/*
 * Shapes of the chat completions API.  Token counts are a plain estimate,
 * four bytes a token: what matters is that they are there and repeatable.
 */
#include "chaos/text/speech_chat.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sse.h"
#include "chaos/text/speech.h"

#define CREATED   1767225600 /* 2026-01-01T00:00:00Z, always */
#define EVENT_MAX (1u << 16)

static json_t *
usage_of(const struct completion *c)
{
	json_int_t in = speech_tokens(c->prompt_bytes);
	json_int_t out = speech_tokens_out(c);

	return json_pack("{sI sI sI}", "prompt_tokens", in, "completion_tokens",
	    out, "total_tokens", in + out);
}

static enum err
add_json(struct buf *out, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT);
	enum err e = text ? buf_adds(out, text) : ERR_SYNTAX;

	free(text);
	json_decref(v);
	return e;
}

void
completion_call_id(const struct completion *c, const char *prefix,
    char out[COMPLETION_CALL_ID_BYTES])
{
	snprintf(out, COMPLETION_CALL_ID_BYTES, "%s_%zu", prefix,
	    c->call ? c->call : 1);
}

static json_t *
call_of(const struct completion *c, const char *arguments)
{
	char id[COMPLETION_CALL_ID_BYTES];

	completion_call_id(c, "call", id);
	return json_pack("{ss ss s{ss ss}}", "id", id, "type", "function",
	    "function", "name", c->tool, "arguments", arguments);
}

static const char *
finish_of(const struct completion *c)
{
	return c->tool ? "tool_calls" : "stop";
}

enum err
completion_whole(const struct completion *c, struct buf *out)
{
	json_t *message = c->tool
	    ? json_pack("{ss sn s[o]}", "role", "assistant", "content",
	          "tool_calls", call_of(c, c->arguments))
	    : json_pack("{ss ss%}", "role", "assistant", "content",
	          c->content.n ? c->content.p : "", c->content.n);
	json_t *v = json_pack("{ss ss si ss s[{si so sn ss}] so}", "id", c->id,
	    "object", "chat.completion", "created", CREATED, "model", c->model,
	    "choices", "index", 0, "message", message, "logprobs",
	    "finish_reason", finish_of(c), "usage", usage_of(c));

	return v ? add_json(out, v) : ERR_SYNTAX;
}

/* ---- streams */

struct stream {
	const struct completion *c;
	void (*on_event)(const char *raw, size_t n, void *arg);
	void *arg;
};

/* choices is taken; usage too, NULL for none. */
static void
send_chunk(const struct stream *s, json_t *choices, json_t *usage)
{
	const struct completion *c = s->c;
	json_t *v = json_pack("{ss ss si ss so}", "id", c->id, "object",
	    "chat.completion.chunk", "created", CREATED, "model", c->model,
	    "choices", choices);
	struct buf json, event;

	if (usage)
		json_object_set_new(v, "usage", usage);
	buf_init(&json, EVENT_MAX);
	buf_init(&event, EVENT_MAX);
	if (add_json(&json, v) == ERR_OK &&
	    sse_write(&event, json.data, json.len) == ERR_OK)
		s->on_event(event.data, event.len, s->arg);
	buf_done(&json);
	buf_done(&event);
}

static json_t *
choice(json_t *delta, const char *finish)
{
	return json_pack("[{si so sn ss?}]", "index", 0, "delta", delta,
	    "logprobs", "finish_reason", finish);
}

/* The delta of a tool call: first its name, then pieces of arguments. */
static void
send_call(const struct stream *s)
{
	struct slice left = slice_of(s->c->arguments), piece;
	json_t *call = call_of(s->c, "");

	json_object_set_new(call, "index", json_integer(0));
	send_chunk(s, choice(json_pack("{s[o]}", "tool_calls", call), NULL),
	    NULL);
	while (speech_piece(&left, &piece))
		send_chunk(s,
		    choice(json_pack("{s[{si s{ss%}}]}", "tool_calls", "index",
		               0, "function", "arguments", piece.p, piece.n),
		        NULL),
		    NULL);
}

void
completion_stream(const struct completion *c,
    void (*on_event)(const char *raw, size_t n, void *arg), void *arg)
{
	static const char done[] = "data: " SSE_DONE "\n\n";
	struct stream s = { c, on_event, arg };
	struct slice left = c->content, piece;

	send_chunk(&s,
	    choice(json_pack("{ss ss}", "role", "assistant", "content", ""),
	        NULL),
	    NULL);
	while (speech_piece(&left, &piece))
		send_chunk(&s,
		    choice(json_pack("{ss%}", "content", piece.p, piece.n),
		        NULL),
		    NULL);
	if (c->tool)
		send_call(&s);
	send_chunk(&s, choice(json_object(), finish_of(c)), NULL);
	if (c->has_usage)
		/* As the API does: usage comes in a chunk of its own, whose
		 * list of choices is empty. */
		send_chunk(&s, json_array(), usage_of(c));
	on_event(done, strlen(done), arg);
}

void
completion_error(struct buf *out, const char *message, const char *type,
    const char *code)
{
	add_json(out,
	    json_pack("{s{ss ss sn ss?}}", "error", "message", message, "type",
	        type, "param", "code", code));
}
