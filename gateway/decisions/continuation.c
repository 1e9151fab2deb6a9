/*
 * The text is kept as JSON, escapes as they came: pieces of strings put
 * together are a string, also where a pair of surrogates was split between
 * two events.
 *
 * Some models refuse a given text that ends in white space, so it is held
 * back from them (never inside an escape), and taken off what they say first
 * if they begin with it.
 */
#include "gateway/decisions/continuation.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define RETOLD_MAX ((size_t)1 << 20)

const char *const continuation_way_names[] = {
	[CONTINUATION_NOT] = "no",
	[CONTINUATION_DEEPSEEK] = "prefix",
	[CONTINUATION_PREFILL] = "prefill",
	[CONTINUATION_FINAL] = "continue_final_message",
	NULL,
};

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

void
continuation_note(struct continuation *s, const struct chunk *chunk)
{
	if (chunk->block == CHUNK_BLOCK_BEGINS)
		s->blocks++;
	if (chunk->block != CHUNK_NO_BLOCK)
		s->is_open = chunk->block == CHUNK_BLOCK_BEGINS;
	continuation_note_text(s, chunk);
}

void
continuation_note_text(struct continuation *s, const struct chunk *chunk)
{
	if (!chunk->payload)
		return;
	s->events++;
	s->is_odd |= chunk->is_odd;
	if (buf_add(&s->text, chunk->text.p, chunk->text.n) != ERR_OK)
		s->is_odd = true;
	if (!s->id[0] && chunk->id.n > 0 && chunk->id.n < sizeof s->id) {
		memcpy(s->id, chunk->id.p, chunk->id.n);
		s->id[chunk->id.n] = '\0';
	}
}

bool
continuation_can_go_on(const struct continuation *s)
{
	return !s->is_odd && s->text.len > 0;
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

/* Bytes of white space at the end: blanks, and \n, \r, \t as escapes. */
static size_t
blank_end(const struct buf *text)
{
	size_t n = text->len, slashes;

	for (;;) {
		const char *p = text->data;

		if (n > 0 && p[n - 1] == ' ') {
			n--;
			continue;
		}
		if (n < 2 || !strchr("nrt", p[n - 1]) || p[n - 2] != '\\')
			break;
		/* An even number of backslashes is backslashes. */
		for (slashes = 0;
		     slashes < n - 1 && p[n - 2 - slashes] == '\\';)
			slashes++;
		if (slashes % 2 == 0)
			break;
		n -= 2;
	}
	return text->len - n;
}

static enum err
put_messages(struct continuation *s, enum continuation_way way,
    struct slice list, struct buf *room)
{
	size_t keep = s->text.len - s->trimmed;
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
		e = buf_add(room, s->text.data, keep);
	return e == ERR_OK ? buf_adds(room, "\"}]") : e;
}

/* What is left of the tokens that the client allowed. */
static bool
put_left(const struct continuation *s, const struct peek_member *m,
    struct buf *room)
{
	uint64_t said = 0;

	for (size_t i = 0; i < m->value.n; i++) {
		if (m->value.p[i] < '0' || m->value.p[i] > '9' || i > 15)
			return false;
		said = said * 10 + (uint64_t)(m->value.p[i] - '0');
	}
	return buf_addf(room, "%" PRIu64,
	           said > s->events ? said - s->events : UINT64_C(1)) == ERR_OK;
}

size_t
continuation_edits(struct continuation *s, enum continuation_way way,
    const struct peek *request, struct buf *room,
    struct peek_edit edits[CONTINUATION_EDITS_MAX])
{
	static const char *const limits[] = { "max_tokens",
		"max_completion_tokens" };
	const struct peek_member *list = peek_get(request, "messages"), *m;
	size_t n = 0, left;

	if (!list || list->type != JSCAN_ARRAY)
		return 0;
	s->is_left_out = s->is_owed = false;
	s->before = s->events;
	s->trimmed = way == CONTINUATION_PREFILL ? blank_end(&s->text) : 0;
	/* The room may move while it grows: the last text is put first. */
	left = 0;
	for (size_t i = 0; i < 2 && !left; i++)
		if ((m = peek_get(request, limits[i])) &&
		    put_left(s, m, room)) {
			left = room->len;
			edits[n++].name = limits[i];
		}
	if (buf_addc(room, '\0') != ERR_OK ||
	    put_messages(s, way, list->value, room) != ERR_OK)
		return 0;
	if (n > 0)
		edits[0].json = room->data;
	edits[n++] = (struct peek_edit){ "messages", room->data + left + 1 };
	if (way == CONTINUATION_FINAL) {
		edits[n++] =
		    (struct peek_edit){ "continue_final_message", "true" };
		edits[n++] =
		    (struct peek_edit){ "add_generation_prompt", "false" };
	}
	return n;
}

/* ---- retelling */

/* The event without the first n bytes of its content. */
static enum err
cut_content(struct slice data, struct slice content, size_t n, struct buf *out)
{
	size_t at = (size_t)(content.p - data.p);
	enum err e = buf_add(out, data.p, at);

	return e == ERR_OK ? buf_add(out, data.p + at + n, data.n - at - n) : e;
}

size_t
continuation_repeated(struct continuation *s, struct slice content)
{
	const char *held = s->text.data + s->text.len - s->trimmed;
	size_t n = 0;

	while (n < s->trimmed && n < content.n && content.p[n] == held[n])
		n++;
	/* Only at the beginning, and not half an escape. */
	s->trimmed = 0;
	return n > 0 && held[n - 1] == '\\' ? n - 1 : n;
}

static void
put_usage(const struct continuation *s, const struct chunk *chunk,
    char out[160])
{
	uint64_t before = s->before, in = chunk->tokens_in;

	/* The text that was given on is no part of the question. */
	in -= before < in ? before : in;
	(void)snprintf(out, 160,
	    "{\"prompt_tokens\":%" PRIu64 ",\"completion_tokens\":%" PRIu64
	    ",\"total_tokens\":%" PRIu64 "}",
	    in, chunk->tokens_out + before, in + chunk->tokens_out + before);
}

enum err
continuation_retell(struct continuation *s, const struct schema *schema,
    const struct chunk *chunk, struct slice data, struct buf *out)
{
	struct peek_edit edits[2];
	struct buf cut, told;
	struct peek event;
	char usage[160];
	size_t n = 0;
	enum err e;

	if (schema->kind == SCHEMA_MESSAGES)
		return continuation_retell_block(s, chunk, data, out);
	if (chunk->text.n == 0 && !chunk->is_odd && !chunk->finish[0] &&
	    !chunk->has_usage)
		return ERR_OK;
	buf_init(&cut, RETOLD_MAX);
	buf_init(&told, RETOLD_MAX);
	e = cut_content(data, chunk->text.n ? chunk->text : data,
	    chunk->text.n ? continuation_repeated(s, chunk->text) : 0, &cut);
	if (e == ERR_OK)
		e = peek_read((struct slice){ cut.data, cut.len }, &event,
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
	buf_done(&cut);
	buf_done(&told);
	return e;
}
