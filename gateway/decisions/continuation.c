/*
 * The text is kept as JSON, escapes as they came: pieces of strings put
 * together are a string, also where a pair of surrogates was split between
 * two events.  How two texts meet is in continuation_seam.c.
 */
#include "gateway/decisions/continuation.h"

#include "base/units.h"
#include "gateway/text/token_estimate.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define RETOLD_MORE ((size_t)1024) /* another id, and counts */

void
continuation_init(struct continuation *s)
{
	memset(s, 0, sizeof *s);
	buf_init(&s->text, CONTINUATION_MAX);
}

void
continuation_done(struct continuation *s)
{
	buf_done(&s->text);
}

void
continuation_clear(struct continuation *s)
{
	continuation_done(s);
	continuation_init(s);
}

/* What was told of the event: its words, or what of them was new. */
static void
note_text(struct continuation *s, const struct chunk *chunk, struct slice text)
{
	s->is_finished |= chunk->finish[0] != '\0';
	if (chunk->has_counts && chunk->tokens_out > s->counted)
		s->counted = chunk->tokens_out;
	if (chunk->has_counts && !s->counted_before && chunk->has_in)
		s->counted_in = chunk->tokens_in;
	if (!chunk->payload)
		return;
	s->events++;
	s->is_odd |= chunk->is_odd;
	if (buf_add(&s->text, text.p, text.n) != ERR_OK)
		s->is_odd = true;
	if (!s->id[0] && chunk->id.n > 0 && chunk->id.n < sizeof s->id) {
		memcpy(s->id, chunk->id.p, chunk->id.n);
		s->id[chunk->id.n] = '\0';
	}
}

void
continuation_note(struct continuation *s, const struct chunk *chunk)
{
	if (chunk->block == CHUNK_BLOCK_BEGINS)
		s->blocks++;
	if (chunk->block != CHUNK_NO_BLOCK)
		s->is_open = chunk->block == CHUNK_BLOCK_BEGINS;
	note_text(s, chunk, chunk->text);
}

bool
continuation_can_go_on(const struct continuation *s)
{
	return !s->is_odd && !s->is_finished && s->text.len > 0;
}

bool
continuation_is_between(const struct continuation *s)
{
	return s->blocks > 0 && !s->is_open;
}

bool
continuation_may_call(const struct peek *request)
{
	static const char *const names[] = { "functions", "tools" };
	const struct peek_member *m;

	for (size_t i = 0; i < COUNT(names); i++)
		if ((m = peek_get(request, names[i])) &&
		    m->type == JSCAN_ARRAY &&
		    memchr(m->value.p, '{', m->value.n))
			return true;
	return false;
}

/* ---- asking to go on */

bool
continuation_is_question(const struct peek *request)
{
	const struct peek_member *list = peek_get(request, "messages");
	json_t *messages, *last;
	const char *role;
	bool ok;

	if (!list || peek_get(request, "continue_final_message"))
		return false;
	messages = json_loadb(list->value.p, list->value.n, 0, NULL);
	last = json_array_get(messages, json_array_size(messages) - 1);
	role = json_string_value(json_object_get(last, "role"));
	ok = role && strcmp(role, "assistant") != 0;
	json_decref(messages);
	return ok;
}

static enum err
put_messages(struct continuation *s, enum continuation_way way,
    struct slice list, struct buf *room)
{
	size_t inner = list.n - 1; /* without the last bracket */
	enum err e = buf_add(room, list.p, inner);

	while (inner > 1 && strchr(" \t\r\n", list.p[inner - 1]))
		inner--;
	if (e == ERR_OK && inner > 1)
		e = buf_addc(room, ',');
	if (e == ERR_OK)
		e = buf_adds(room, "{\"role\":\"assistant\",");
	if (e == ERR_OK && way == CONTINUATION_DEEPSEEK)
		e = buf_adds(room, "\"prefix\":true,");
	if (e == ERR_OK)
		e = buf_adds(room, "\"content\":\"");
	if (e == ERR_OK)
		e = buf_add(room, s->text.data, s->given);
	return e == ERR_OK ? buf_adds(room, "\"}]") : e;
}

/* An event is a token, or several. */
static uint64_t
tokens_told(const struct continuation *s)
{
	return token_estimate_stream(s->events, s->text.len);
}

/* What is left of the tokens that the client allowed. */
static bool
put_left(const struct continuation *s, const struct peek_member *m,
    struct buf *room)
{
	uint64_t said = 0, tokens = tokens_told(s);

	for (size_t i = 0; i < m->value.n; i++) {
		if (m->value.p[i] < '0' || m->value.p[i] > '9' || i > 15)
			return false;
		said = said * 10 + (uint64_t)(m->value.p[i] - '0');
	}
	return buf_addf(room, "%" PRIu64,
	           said > tokens ? said - tokens : UINT64_C(1)) == ERR_OK;
}

enum err
continuation_edits(struct continuation *s, enum continuation_way way,
    const struct peek *request, struct buf *room,
    struct peek_edit edits[CONTINUATION_EDITS_MAX], size_t *ret_n)
{
	static const char *const limits[] = { "max_tokens",
		"max_completion_tokens" };
	const struct peek_member *list = peek_get(request, "messages"), *m;
	size_t n = 0, left = 0;

	if (!list || list->type != JSCAN_ARRAY)
		return ERR_SYNTAX;
	s->is_left_out = s->is_owed = false;
	s->before = tokens_told(s);
	s->counted_before += s->counted;
	s->counted = 0;
	s->asked = token_estimate_text(request->body.n);
	continuation_open_seam(s);
	/* The room may move while it grows: the last text is put first. */
	for (size_t i = 0; i < 2 && !left; i++)
		if ((m = peek_get(request, limits[i])) &&
		    put_left(s, m, room)) {
			left = room->len;
			edits[n++].name = limits[i];
		}
	if (buf_addc(room, '\0') != ERR_OK ||
	    put_messages(s, way, list->value, room) != ERR_OK)
		return ERR_TOOBIG;
	if (n > 0)
		edits[0].json = room->data;
	if (s->given > 0)
		edits[n++] =
		    (struct peek_edit){ "messages", room->data + left + 1 };
	if (s->given > 0 && way == CONTINUATION_FINAL) {
		edits[n++] =
		    (struct peek_edit){ "continue_final_message", "true" };
		edits[n++] =
		    (struct peek_edit){ "add_generation_prompt", "false" };
	}
	*ret_n = n;
	return ERR_OK;
}

/* ---- retelling */

enum err
continuation_put_said(const struct chunk *chunk, struct slice data,
    const struct buf *said, struct buf *out)
{
	struct slice text =
	    chunk->text.n ? chunk->text : (struct slice){ data.p, 0 };
	const char *behind = text.p + text.n;
	enum err e = buf_add(out, data.p, (size_t)(text.p - data.p));

	if (e == ERR_OK)
		e = buf_add(out, said->data, said->len);
	return e == ERR_OK
	    ? buf_add(out, behind, (size_t)(data.p + data.n - behind))
	    : e;
}

uint64_t
continuation_before(const struct continuation *s)
{
	return s->counted_before > s->before ? s->counted_before : s->before;
}

static void
put_usage(const struct continuation *s, const struct chunk *chunk,
    char out[160])
{
	uint64_t before = s->before, in = chunk->tokens_in;
	uint64_t made = chunk->tokens_out + continuation_before(s);

	/* The text that was given on is no part of the question; where that
	 * leaves nothing of it, one of the two was not as long as estimated. */
	if (s->counted_in > 0)
		in = s->counted_in;
	else if (s->given > 0 && before < in)
		in -= before;
	else if (s->given > 0 && in > 0)
		in = (in * s->asked + before + s->asked - 1) /
		    (before + s->asked);
	(void)snprintf(out, 160,
	    "{\"prompt_tokens\":%" PRIu64 ",\"completion_tokens\":%" PRIu64
	    ",\"total_tokens\":%" PRIu64 "}",
	    in, made, in + made);
}

/* As it is told in chat. */
static enum err
retell_chunk(struct continuation *s, const struct chunk *chunk,
    struct slice data, const struct buf *said, struct buf *out)
{
	struct peek_edit edits[2];
	struct buf again, told;
	struct peek event;
	char usage[160];
	size_t n = 0;
	enum err e;

	if (said->len == 0 && !chunk->is_odd && !chunk->finish[0] &&
	    !chunk->has_usage)
		return ERR_OK;
	buf_init(&again, data.n + said->len);
	buf_init(&told, data.n + said->len + RETOLD_MORE);
	e = continuation_put_said(chunk, data, said, &again);
	if (e == ERR_OK)
		e = peek_read((struct slice){ again.data, again.len }, &event,
		    NULL);
	if (s->id[0] && chunk->id.n > 0)
		edits[n++] = (struct peek_edit){ "id", s->id };
	if (chunk->has_usage) {
		put_usage(s, chunk, usage);
		edits[n++] = (struct peek_edit){ "usage", usage };
	}
	if (e == ERR_OK)
		e = peek_splice(&event, edits, n, &told);
	if (e == ERR_OK)
		e = sse_write(out, told.data, told.len);
	buf_done(&again);
	buf_done(&told);
	return e;
}

enum err
continuation_retell(struct continuation *s, const struct schema *schema,
    const struct chunk *chunk, struct slice data, struct buf *out)
{
	struct buf said;
	enum err e;

	buf_init(&said, data.n + RETOLD_MORE);
	e = continuation_pass_seam(s, chunk->text, &said);
	/* The other half of its last character does not come. */
	if (e == ERR_OK && s->half && (chunk->finish[0] || chunk->is_odd))
		e = ERR_SYNTAX;
	if (e == ERR_OK && schema->kind == SCHEMA_MESSAGES)
		e = continuation_retell_block(s, chunk, data, &said, out);
	else if (e == ERR_OK)
		e = retell_chunk(s, chunk, data, &said, out);
	if (e == ERR_OK)
		note_text(s, chunk, (struct slice){ said.data, said.len });
	buf_done(&said);
	return e;
}
