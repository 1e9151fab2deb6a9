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
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TYPE_MAX   40
#define NUMBER_MAX 24

/* An event being told: by its members, since a tree would refuse half a
 * surrogate and lose what numbers say. */
struct telling {
	struct continuation *s;
	const struct chunk *chunk;
	struct slice data;
	const struct buf *said; /* what is new of its words */
	struct buf *out;
	char type[TYPE_MAX];
};

static enum err
put(struct buf *out, const char *type, struct slice json)
{
	enum err e = buf_addf(out, "event: %s\n", type);

	return e == ERR_OK ? sse_write(out, json.p, json.n) : e;
}

/* The event with that member, and with what is new of its words. */
static enum err
put_edited(const struct telling *t, const char *name, const char *json)
{
	struct peek_edit edit = { name, json };
	struct buf again, told;
	struct peek event;
	enum err e;

	buf_init(&again, t->data.n + t->said->len);
	buf_init(&told, t->data.n + t->said->len + strlen(json) + TYPE_MAX);
	e = continuation_put_said(t->chunk, t->data, t->said, &again);
	if (e == ERR_OK)
		e = peek_read((struct slice){ again.data, again.len }, &event,
		    NULL);
	if (e == ERR_OK)
		e = peek_splice(&event, &edit, 1, &told);
	if (e == ERR_OK)
		e = put(t->out, t->type, (struct slice){ told.data, told.len });
	buf_done(&again);
	buf_done(&told);
	return e;
}

/* With the number that its block has for the client. */
static enum err
put_numbered(const struct telling *t)
{
	char number[NUMBER_MAX];

	(void)snprintf(number, sizeof number, "%" PRIu64, t->s->blocks - 1);
	return put_edited(t, "index", number);
}

static enum err
close_open(const struct telling *t)
{
	char event[96];

	if (!t->s->is_open)
		return ERR_OK;
	t->s->is_open = false;
	(void)snprintf(event, sizeof event,
	    "{\"type\":\"content_block_stop\",\"index\":%" PRIu64 "}",
	    t->s->blocks - 1);
	return put(t->out, "content_block_stop", slice_of(event));
}

static enum err
pay_owed(const struct telling *t)
{
	char event[128];

	if (!t->s->is_owed)
		return ERR_OK;
	t->s->is_owed = false;
	t->s->is_open = true;
	(void)snprintf(event, sizeof event,
	    "{\"type\":\"content_block_start\",\"index\":%" PRIu64
	    ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
	    t->s->blocks++);
	return put(t->out, "content_block_start", slice_of(event));
}

/* Words that a block begins with. */
static enum err
put_first_words(const struct telling *t)
{
	struct buf event;
	enum err e = ERR_OK;

	if (t->said->len == 0 || (e = pay_owed(t)) != ERR_OK)
		return e;
	buf_init(&event, t->said->len + 128);
	e = buf_addf(&event,
	    "{\"type\":\"content_block_delta\",\"index\":%" PRIu64
	    ",\"delta\":{\"type\":\"text_delta\",\"text\":\"",
	    t->s->blocks - 1);
	if (e == ERR_OK)
		e = buf_add(&event, t->said->data, t->said->len);
	if (e == ERR_OK)
		e = buf_adds(&event, "\"}}");
	if (e == ERR_OK)
		e = put(t->out, "content_block_delta",
		    (struct slice){ event.data, event.len });
	buf_done(&event);
	return e;
}

/* A new one of text is told with its first word: of a text that was whole
 * already nothing is left to say. */
static enum err
begin_block(const struct telling *t)
{
	struct continuation *s = t->s;
	struct peek event, block;
	const struct peek_member *m;
	char type[TYPE_MAX] = "";
	bool is_text;
	enum err e = peek_read(t->data, &event, NULL);

	if (e != ERR_OK)
		return e;
	m = peek_get(&event, "content_block");
	if (m && peek_read(m->value, &block, NULL) == ERR_OK)
		(void)peek_string(&block, "type", type, sizeof type);
	is_text = strcmp(type, "text") == 0;
	s->is_left_out = strstr(type, "thinking") != NULL;
	s->is_owed = is_text && !s->is_open;
	if (s->is_left_out)
		return ERR_OK;
	if (is_text)
		return put_first_words(t);
	e = close_open(t);
	s->blocks++;
	s->is_open = true;
	return e == ERR_OK ? put_numbered(t) : e;
}

/* A piece, without what it repeats of the text. */
static enum err
go_on(const struct telling *t)
{
	struct continuation *s = t->s;
	enum err e;

	if (s->is_left_out || (t->chunk->text.n > 0 && t->said->len == 0))
		return ERR_OK;
	e = pay_owed(t);
	return e == ERR_OK && s->is_open ? put_numbered(t) : e;
}

static enum err
end_message(const struct telling *t)
{
	char usage[64];
	enum err e = close_open(t);

	/* The question was counted at the beginning. */
	(void)snprintf(usage, sizeof usage, "{\"output_tokens\":%" PRIu64 "}",
	    t->chunk->tokens_out + continuation_before(t->s));
	return e == ERR_OK ? put_edited(t, "usage", usage) : e;
}

/* One that is left out was not begun either. */
static enum err
end_block(const struct telling *t)
{
	if (t->s->is_left_out || t->s->is_owed)
		return ERR_OK;
	return close_open(t);
}

enum err
continuation_retell_block(struct continuation *s, const struct chunk *chunk,
    struct slice data, const struct buf *said, struct buf *out)
{
	static const struct {
		const char *type;
		enum err (*tell)(const struct telling *t);
	} rows[] = {
		{ "content_block_delta", go_on },
		{ "content_block_start", begin_block },
		{ "content_block_stop", end_block },
		{ "message_delta", end_message },
	};
	struct telling t = { s, chunk, data, said, out, "" };
	struct peek event;
	enum err e = peek_read(data, &event, NULL);

	if (e != ERR_OK || !peek_string(&event, "type", t.type, sizeof t.type))
		return e;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].type, t.type) == 0)
			return rows[i].tell(&t);
	return ERR_OK;
}
