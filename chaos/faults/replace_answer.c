/*
 * A whole answer gets the text in its dialect's place for all that a model
 * says.  In a stream the first piece of what it says is all of it; an event
 * that carries more than its text (a role, a finish reason) stays, and says
 * "".  The blocks of Messages and Responses begin and end in events of their
 * own, so there a call stays a call.
 *
 * Only values are replaced; the members that may have to be made are "refusal"
 * and "content", which are put behind one that is there.
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

/* The text stands in its place, and what was said beside it becomes null;
 * where there is no place, the text comes behind the first of that.  False:
 * there is neither. */
static bool
put_apart(const struct replace_answer *r, struct splices *s, struct slice json,
    struct buf *value)
{
	struct dialect_hit text[DIALECT_HITS], calls[DIALECT_HITS];
	size_t ntexts = dialect_hits(r->edit.dialect, json, DIALECT_TEXT, text);
	size_t n = dialect_hits(r->edit.dialect, json, DIALECT_CALLS, calls);
	struct buf both;

	buf_init(&both, TEXT_MAX);
	buf_adds(&both, "null,\"content\":");
	buf_add(&both, value->data, value->len);
	if (ntexts)
		edit_span(s, text[0].span,
		    (struct slice){ value->data, value->len });
	for (size_t i = 0; i < n; i++)
		edit_span(s, calls[i].span,
		    i == 0 && ntexts == 0
		        ? (struct slice){ both.data, both.len }
		        : slice_of("null"));
	buf_done(&both);
	return ntexts + n > 0;
}

/* The text and the calls stand apart: "content" and "tool_calls". */
static bool
tell_apart(struct replace_answer *r, const struct telling *t, struct splices *s,
    struct slice json)
{
	struct jspan refusal;
	bool has_refusal = jspan_pointer(json, refusal_at, &refusal);
	struct buf value;
	bool is_there;

	buf_init(&value, TEXT_MAX);
	add_content(t, has_refusal, &value);
	is_there = put_apart(r, s, json, &value);
	buf_done(&value);
	if (has_refusal && t->is_refusal)
		edit_span_string(s, refusal, t->text);
	else if (has_refusal)
		edit_span(s, refusal, slice_of("null"));
	return is_there || has_refusal;
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

/* The places of an event's text; the first n are there. */
struct pieces {
	struct dialect_hit hits[DIALECT_HITS];
	size_t n;
	bool say; /* something stands in one */
};

/* Is there something left to say?  An empty answer is said by nothing. */
static bool
has_words(const struct replace_answer *r, const struct telling *t)
{
	return !r->is_told && (t->text.n > 0 || t->is_null);
}

/* The value of a text's place in this event: all of the text, or none. */
static void
add_piece(struct replace_answer *r, const struct telling *t, struct buf *out)
{
	if (has_words(r, t))
		add_content(t, false, out);
	else
		buf_adds(out, "\"\"");
	r->is_told = true;
}

static bool
is_text(struct slice json, struct jspan at)
{
	return at.n > 2 && json.p[at.at] == '"';
}

/* Does the event say something beside a text? */
static bool
says_beside(const struct replace_answer *r, struct slice json)
{
	const struct dialect *d = r->edit.dialect;
	struct jspan at;

	/* Where all that is said is one list, a call is an item of it. */
	if (d->content_at)
		return dialect_hit(d, json, DIALECT_TOOL_NAME, &at);
	return (dialect_hit(d, json, DIALECT_CALLS, &at) && at.n > 2 &&
	           json.p[at.at] != 'n') ||
	    (dialect_hit(d, json, DIALECT_REFUSAL, &at) && is_text(json, at));
}

/* A delta of chat completions that says nothing but the text, and whose it
 * is. */
static bool
set_delta(struct splices *s, struct slice json, const struct buf *piece)
{
	struct slice role = edit_raw(json, "/choices/0/delta/role");
	struct buf value;
	bool is_there;

	buf_init(&value, TEXT_MAX);
	buf_addc(&value, '{');
	if (role.n)
		buf_addf(&value, "\"role\":" SLICE_FMT ",", SLICE_ARG(role));
	buf_adds(&value, "\"content\":");
	buf_add(&value, piece->data, piece->len);
	buf_addc(&value, '}');
	is_there = edit_set(s, json, "/choices/0/delta",
	    (struct slice){ value.data, value.len });
	buf_done(&value);
	return is_there;
}

/* All pieces of text in the event: the first is the text's. */
static void
set_pieces(struct replace_answer *r, const struct telling *t, struct splices *s,
    struct slice json, const struct pieces *was)
{
	const struct dialect_hit *hits = was->hits;

	for (size_t i = 0; i < was->n; i++) {
		struct buf piece;

		if (hits[i].place->is_again || json.p[hits[i].span.at] != '"')
			continue;
		/* An empty one is none, unless it is the last that there is. */
		if (hits[i].span.n == 2 &&
		    !dialect_has_finish(r->edit.dialect, json))
			continue;
		buf_init(&piece, TEXT_MAX);
		add_piece(r, t, &piece);
		edit_span(s, hits[i].span,
		    (struct slice){ piece.data, piece.len });
		buf_done(&piece);
	}
}

/* What the event says beside a text goes, and a text comes in its place. */
static void
set_instead(struct replace_answer *r, const struct telling *t,
    struct splices *s, struct slice json)
{
	const struct dialect *d = r->edit.dialect;
	struct buf piece, list;

	buf_init(&piece, TEXT_MAX);
	buf_init(&list, TEXT_MAX);
	add_piece(r, t, &piece);
	if (d == &dialect_chat) {
		set_delta(s, json, &piece);
	} else if (d->content_at) {
		buf_adds(&list, d->content_open);
		buf_add(&list, piece.data, piece.len);
		buf_adds(&list, d->content_close);
		edit_set(s, json, d->content_at,
		    (struct slice){ list.data, list.len });
	} else {
		put_apart(r, s, json, &piece);
	}
	buf_done(&list);
	buf_done(&piece);
}

/* An event of a dialect whose events can take a text wherever they are: chat's
 * deltas, and those that look like a whole answer. */
static enum edit_result
tell_anywhere(struct replace_answer *r, const struct telling *t,
    struct slice json, const struct pieces *was, struct splices *s,
    struct buf *out)
{
	const struct dialect *d = r->edit.dialect;
	bool is_instead = says_beside(r, json);

	/* A stream that said nothing so far gets the text with its end. */
	if (!is_instead && !was->say && dialect_has_finish(d, json) &&
	    has_words(r, t))
		is_instead = d == &dialect_chat;
	if ((is_instead || was->say) && !has_words(r, t) &&
	    !dialect_says_more(d, json))
		return EDIT_DROP;
	if (is_instead)
		set_instead(r, t, s, json);
	else
		set_pieces(r, t, s, json, was);
	set_finish(r, t, s, json);
	return edit_apply(s, json, out);
}

static enum edit_result
on_event(struct edit *e, struct slice json, struct buf *out)
{
	struct replace_answer *r = (struct replace_answer *)e;
	struct telling t = r->tell(e);
	struct splices s = { .n = 0 };
	const struct dialect_hit *hits;
	struct pieces was;

	if (t.is_nothing)
		return no_answer(r, json, out);
	was.n = dialect_hits(e->dialect, json, DIALECT_TEXT, was.hits);
	was.say = false;
	hits = was.hits;
	for (size_t i = 0; i < was.n; i++)
		was.say |=
		    !hits[i].place->is_again && is_text(json, hits[i].span);
	if (e->dialect->is_dense || e->dialect == &dialect_chat)
		return tell_anywhere(r, &t, json, &was, &s, out);
	r->has_text |= was.say;
	if (was.say && !has_words(r, &t))
		return EDIT_DROP;
	set_pieces(r, &t, &s, json, &was);
	for (size_t i = 0; i < was.n; i++)
		if (hits[i].place->is_again && json.p[hits[i].span.at] == '"')
			edit_span_string(&s, hits[i].span, t.text);
	if (r->has_text)
		set_finish(r, &t, &s, json);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct replace_answer),
	.missing = "no text of a model that would be another",
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
