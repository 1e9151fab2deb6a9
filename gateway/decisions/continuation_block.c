/*
 * A stream of messages that another target goes on with.
 *
 * The client has a block of text, open or ended.  What the target says first
 * goes on in the open one; what it opens besides gets the next number.  The
 * beginning of its message and its thoughts are not told, its count of tokens
 * has those before it added.
 */
#include "gateway/decisions/continuation.h"

#include "base/units.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Takes the event. */
static enum err
put(json_t *event, struct buf *out)
{
	char *text = json_dumps(event, JSON_COMPACT);
	enum err e = text ? ERR_OK : ERR_SYNTAX;

	if (e == ERR_OK)
		e = buf_addf(out, "event: %s\n",
		    json_string_value(json_object_get(event, "type")));
	if (e == ERR_OK)
		e = sse_write(out, text, strlen(text));
	free(text);
	json_decref(event);
	return e;
}

static enum err
close_open(struct continuation *s, struct buf *out)
{
	if (!s->is_open)
		return ERR_OK;
	s->is_open = false;
	return put(json_pack("{s:s, s:I}", "type", "content_block_stop",
	               "index", (json_int_t)s->blocks - 1),
	    out);
}

/* With the number that its block has for the client. */
static enum err
put_numbered(const struct continuation *s, json_t *event, struct buf *out)
{
	json_object_set_new(event, "index",
	    json_integer((json_int_t)s->blocks - 1));
	return put(json_incref(event), out);
}

/* A new one of text is told with its first word: of a text that was whole
 * already nothing is left to say. */
static enum err
begin_block(struct continuation *s, const struct chunk *chunk, json_t *event,
    struct buf *out)
{
	const char *type = json_string_value(
	    json_object_get(json_object_get(event, "content_block"), "type"));
	bool is_text = type && strcmp(type, "text") == 0;
	enum err e;

	(void)chunk;
	s->is_left_out = type && strstr(type, "thinking");
	s->is_owed = is_text && !s->is_open;
	if (s->is_left_out || is_text)
		return ERR_OK;
	e = close_open(s, out);
	s->blocks++;
	s->is_open = true;
	return e == ERR_OK ? put_numbered(s, event, out) : e;
}

static enum err
pay_owed(struct continuation *s, struct buf *out)
{
	if (!s->is_owed)
		return ERR_OK;
	s->is_owed = false;
	s->is_open = true;
	return put(json_pack("{s:s, s:I, s:{s:s, s:s}}", "type",
	               "content_block_start", "index", (json_int_t)s->blocks++,
	               "content_block", "type", "text", "text", ""),
	    out);
}

/* A piece, without what it repeats of the text. */
static enum err
go_on(struct continuation *s, const struct chunk *chunk, json_t *event,
    struct buf *out)
{
	size_t n = chunk->text.n ? continuation_repeated(s, chunk->text) : 0;
	json_t *delta = json_object_get(event, "delta"), *rest;
	enum err e = s->is_left_out ? ERR_OK : pay_owed(s, out);
	struct buf text;

	if (!s->is_open || s->is_left_out || e != ERR_OK)
		return e;
	if (n > 0) {
		buf_init(&text, chunk->text.n + 2);
		buf_addf(&text, "\"%.*s\"", (int)(chunk->text.n - n),
		    chunk->text.p + n);
		rest = json_loadb(text.data, text.len,
		    JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		json_object_set_new(delta, "text", rest);
		buf_done(&text);
	}
	return put_numbered(s, event, out);
}

static enum err
end_message(struct continuation *s, const struct chunk *chunk, json_t *event,
    struct buf *out)
{
	enum err e = close_open(s, out);
	json_int_t told = (json_int_t)chunk->tokens_out;

	/* The question was counted at the beginning. */
	told += (json_int_t)s->before;
	json_object_set_new(event, "usage",
	    json_pack("{s:I}", "output_tokens", told));
	return e == ERR_OK ? put(json_incref(event), out) : e;
}

/* One that is left out was not begun either. */
static enum err
end_block(struct continuation *s, const struct chunk *chunk, json_t *event,
    struct buf *out)
{
	(void)chunk;
	(void)event;
	if (s->is_left_out || s->is_owed)
		return ERR_OK;
	return close_open(s, out);
}

enum err
continuation_retell_block(struct continuation *s, const struct chunk *chunk,
    struct slice data, struct buf *out)
{
	static const struct {
		const char *type;
		enum err (*tell)(struct continuation *s,
		    const struct chunk *chunk, json_t *event, struct buf *out);
	} rows[] = {
		{ "content_block_delta", go_on },
		{ "content_block_start", begin_block },
		{ "content_block_stop", end_block },
		{ "message_delta", end_message },
	};
	json_t *event = json_loadb(data.p, data.n, JSON_ALLOW_NUL, NULL);
	const char *type = json_string_value(json_object_get(event, "type"));
	enum err e = ERR_OK;

	for (size_t i = 0; type && i < COUNT(rows); i++)
		if (strcmp(rows[i].type, type) == 0)
			e = rows[i].tell(s, chunk, event, out);
	json_decref(event);
	return e;
}
