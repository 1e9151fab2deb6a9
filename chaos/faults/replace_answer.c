/*
 * A whole answer gets the text in its dialect's place for all that a model
 * says.  In a stream the first piece of text is all of it; where an event
 * carries more than its text it stays, and says "".
 *
 * Only values are replaced; the one member that may have to be made is
 * "refusal", which is put behind the content.
 */
#include "chaos/faults/replace_answer.h"

#include <string.h>

#define TEXT_MAX ((size_t)4 << 20)

static const char refusal_at[] = "/choices/0/message/refusal";

struct replace_answer {
	struct edit edit; /* first: it is an editor's memory */
	teller *tell;
	bool is_told;
	bool has_text; /* the stream says some: else it is a tool's */
};

static void
add_string(struct buf *out, struct slice text)
{
	buf_addc(out, '"');
	jspan_escape(out, text);
	buf_addc(out, '"');
}

/* The value of a text's place, and what may follow it. */
static void
add_content(const struct telling *t, bool has_refusal, struct buf *out)
{
	if (t->is_null || t->is_refusal)
		buf_adds(out, "null");
	else
		add_string(out, t->text);
	if (t->is_refusal && !has_refusal) {
		buf_adds(out, ",\"refusal\":");
		add_string(out, t->text);
	}
}

static void
set_finish(const struct replace_answer *r, const struct telling *t,
    struct splices *s, struct slice json)
{
	const char *tool = r->edit.dialect->words[DIALECT_TOOL];
	struct jspan at;

	if (t->has_finish) {
		edit_finish(&r->edit, s, json, t->finish);
	} else if (dialect_hit(r->edit.dialect, json, DIALECT_FINISH, &at) &&
	    at.n == strlen(tool) + 2 &&
	    memcmp(json.p + at.at + 1, tool, strlen(tool)) == 0 &&
	    strcmp(tool, r->edit.dialect->words[DIALECT_STOP]) != 0) {
		edit_finish(&r->edit, s, json, DIALECT_STOP);
	}
}

static enum edit_result
no_answer(const struct replace_answer *r, struct slice json, struct buf *out)
{
	const char *at = r->edit.dialect->nothing_at;
	struct splices s = { .n = 0 };

	if (at)
		edit_set(&s, json, at, slice_of("[]"));
	return edit_apply(&s, json, out);
}

/* The text and the calls stand apart: "content" and "tool_calls". */
static bool
tell_apart(struct replace_answer *r, const struct telling *t, struct splices *s,
    struct slice json)
{
	struct dialect_hit hits[DIALECT_HITS];
	struct jspan refusal;
	bool has_refusal = jspan_pointer(json, refusal_at, &refusal);
	struct buf value;

	if (dialect_hits(r->edit.dialect, json, DIALECT_TEXT, hits) == 0)
		return false;
	buf_init(&value, TEXT_MAX);
	add_content(t, has_refusal, &value);
	edit_span(s, hits[0].span, (struct slice){ value.data, value.len });
	buf_done(&value);
	if (t->is_refusal && has_refusal)
		edit_span_string(s, refusal, t->text);
	edit_role(&r->edit, s, json, DIALECT_CALLS, slice_of("null"));
	return true;
}

/* All that the model says is one list. */
static bool
tell_together(struct replace_answer *r, const struct telling *t,
    struct splices *s, struct slice json)
{
	const struct dialect *d = r->edit.dialect;
	struct buf value;
	bool is_there;

	buf_init(&value, TEXT_MAX);
	buf_adds(&value, d->content_open);
	add_string(&value, t->text);
	buf_adds(&value, d->content_close);
	is_there = edit_set(s, json, d->content_at,
	    (struct slice){ value.data, value.len });
	buf_done(&value);
	return is_there;
}

static enum edit_result
on_whole(struct edit *e, struct slice json, struct buf *out)
{
	struct replace_answer *r = (struct replace_answer *)e;
	struct telling t = r->tell(e);
	struct splices s = { .n = 0 };

	if (t.is_nothing)
		return no_answer(r, json, out);
	if (e->dialect->content_at ? tell_together(r, &t, &s, json)
	                           : tell_apart(r, &t, &s, json))
		set_finish(r, &t, &s, json);
	return edit_apply(&s, json, out);
}

/* ---- streams */

/* The first piece of what the model says becomes all of it. */
static enum edit_result
tell_here(struct replace_answer *r, const struct telling *t, struct slice json,
    struct jspan at, struct buf *out)
{
	struct splices s = { .n = 0 };
	struct buf value;
	bool is_last = r->is_told || (t->text.n == 0 && !t->is_null);

	r->has_text = true;

	if (is_last && !r->edit.dialect->is_dense)
		return EDIT_DROP;
	buf_init(&value, TEXT_MAX);
	if (is_last)
		buf_adds(&value, "\"\"");
	else
		add_content(t, false, &value);
	r->is_told = true;
	edit_span(&s, at, (struct slice){ value.data, value.len });
	buf_done(&value);
	set_finish(r, t, &s, json);
	return edit_apply(&s, json, out);
}

/* A piece of a tool call of chat completions becomes the text. */
static enum edit_result
tell_for_call(struct replace_answer *r, const struct telling *t,
    struct slice json, struct buf *out)
{
	struct splices s = { .n = 0 };
	struct buf value;

	if (r->is_told || (t->text.n == 0 && !t->is_null))
		return EDIT_DROP;
	r->is_told = true;
	buf_init(&value, TEXT_MAX);
	buf_adds(&value, "{\"content\":");
	add_content(t, false, &value);
	buf_addc(&value, '}');
	edit_set(&s, json, "/choices/0/delta",
	    (struct slice){ value.data, value.len });
	buf_done(&value);
	return edit_apply(&s, json, out);
}

static enum edit_result
on_event(struct edit *e, struct slice json, struct buf *out)
{
	struct replace_answer *r = (struct replace_answer *)e;
	struct telling t = r->tell(e);
	struct dialect_hit hits[DIALECT_HITS];
	struct splices s = { .n = 0 };
	struct jspan calls;
	size_t n = dialect_hits(e->dialect, json, DIALECT_TEXT, hits);

	if (t.is_nothing)
		return no_answer(r, json, out);
	for (size_t i = 0; i < n; i++) {
		struct jspan at = hits[i].span;

		if (hits[i].place->is_again)
			edit_span_string(&s, at, t.text);
		else if (at.n > 2 && json.p[at.at] == '"')
			return tell_here(r, &t, json, at, out);
	}
	if (e->dialect == &dialect_chat &&
	    dialect_hit(e->dialect, json, DIALECT_CALLS, &calls) && calls.n > 2)
		return tell_for_call(r, &t, json, out);
	if (r->has_text || e->dialect == &dialect_chat)
		set_finish(r, &t, &s, json);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct replace_answer),
	.missing = "no text of a model in the answer",
	.on_whole = on_whole,
	.on_event = on_event,
};

struct stage *
replace_answer_stage_new(struct shot *s, struct exchange *x, teller *tell)
{
	struct stage *st = editstage_new(s, x, &editor);

	if (st)
		((struct replace_answer *)editstage_edit(st))->tell = tell;
	return st;
}
