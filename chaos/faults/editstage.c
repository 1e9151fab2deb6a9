/*
 * A whole answer is held up to a cap, because its length must be known before
 * its head leaves; past the cap it passes as it came and the fault is
 * bypassed.  Events are never held.
 */
#include "chaos/faults/editstage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sse.h"
#include "base/sse_end.h"
#include "chaos/faults/heldstream.h"
#include "chaos/faults/whole_body.h"
#include "chaos/http/exchange.h"

#define TEXT_MAX (4 * HELD_BYTES_MAX)

struct editstage {
	struct stage stage;
	const struct editor *editor;
	struct edit *edit; /* owned */
	bool is_whole;
	bool is_off; /* it may not act */
	struct whole_body body;
	struct buf text;
};

/* Reports the first change; may it be made? */
static bool
may_change(struct editstage *k)
{
	struct edit *e = k->edit;

	if (k->is_off)
		return false;
	if (e->shot->is_reported)
		return true;
	k->is_off = !shot_fire(e->shot, e->detail);
	e->detail = NULL;
	return !k->is_off;
}

/* Has the edit made of it what it was?  A fault that changes no byte has not
 * fired, whatever it meant to do: here that is settled for all editors. */
static bool
is_unchanged(struct editstage *k, struct slice was)
{
	if (k->text.len != was.n ||
	    (was.n && memcmp(k->text.data, was.p, was.n) != 0))
		return false;
	json_decref(k->edit->detail);
	k->edit->detail = NULL;
	return true;
}

/* ---- whole answers */

static void
end_whole(struct editstage *k, enum item_end end)
{
	struct slice body = whole_body_bytes(&k->body);

	/* A torn answer is somebody else's fault already; edited, it would be
	 * hard to say whose. */
	if (end == ITEM_END_CLEAN &&
	    k->editor->on_whole(k->edit, body, &k->text) == EDIT_CHANGE &&
	    !is_unchanged(k, body) && may_change(k)) {
		body = (struct slice){ k->text.data, k->text.len };
		exchange_answer(k->stage.exchange)->content_bytes = body.n;
	}
	whole_body_release(&k->body, &k->stage, body);
}

static void
on_whole(struct editstage *k, const struct item *it)
{
	switch (whole_body_add(&k->body, it)) {
	case WHOLE_BODY_HELD:
		return;
	case WHOLE_BODY_TOO_LONG:
		shot_bypass(k->edit->shot, "answer too long to hold");
		whole_body_release(&k->body, &k->stage,
		    whole_body_bytes(&k->body));
		break;
	case WHOLE_BODY_END:
		end_whole(k, it->end);
		break;
	}
	stage_pass(&k->stage, it);
}

/* ---- streams */

/* The event with k->text as its data; what else its block says stays. */
static void
pass_changed(struct editstage *k, const struct item *it)
{
	struct slice text = { k->text.data, k->text.len };
	struct item changed = { .kind = ITEM_EVENT, .data = text };
	struct buf raw;

	buf_init(&raw, 2 * TEXT_MAX);
	edit_retell(k->stage.exchange, it, text, &raw);
	changed.raw = (struct slice){ raw.data, raw.len };
	stage_pass(&k->stage, &changed);
	buf_done(&raw);
}

static void
on_event(struct editstage *k, const struct item *it)
{
	enum edit_result r = EDIT_KEEP;

	buf_clear(&k->text);
	if (!k->is_off && it->data.n && !sse_end_is_done(it->data))
		r = k->editor->on_event(k->edit, it->data, &k->text);
	if (r == EDIT_CHANGE && is_unchanged(k, it->data))
		r = EDIT_KEEP;
	if (r == EDIT_KEEP || !may_change(k))
		stage_pass(&k->stage, it);
	else if (r == EDIT_CHANGE)
		pass_changed(k, it);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct editstage *k = (struct editstage *)st;

	if (k->is_whole && !k->body.is_open) {
		on_whole(k, it);
		return;
	}
	if (it->kind == ITEM_EVENT) {
		on_event(k, it);
		return;
	}
	stage_pass(st, it);
}

static void
editstage_free(struct stage *st)
{
	struct editstage *k = (struct editstage *)st;

	json_decref(k->edit->detail);
	free(k->edit);
	whole_body_done(&k->body);
	buf_done(&k->text);
	free(k);
}

static const struct stage_ops ops = { on_item, editstage_free };

struct stage *
editstage_new(struct shot *s, struct exchange *x, const struct editor *editor)
{
	const struct answer_head *a = exchange_answer(x);
	const char *coding = answer_head_get(a, "content-encoding");
	struct editstage *k;

	if (a->status != 200 || (coding && strcmp(coding, "identity") != 0)) {
		shot_bypass(s,
		    a->status != 200 ? "an error answer" : "encoded answer");
		return NULL;
	}
	shot_expect(s, editor->missing);
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	k->editor = editor;
	k->edit = xcalloc(1, editor->edit_bytes);
	k->edit->shot = s;
	k->edit->exchange = x;
	k->edit->dialect = facts_dialect(exchange_facts(x));
	/* A path that we do not know is read as the most spoken dialect; where
	 * no member fits, the fault is bypassed. */
	if (!k->edit->dialect)
		k->edit->dialect = &dialect_chat;
	k->is_whole = !a->is_stream;
	whole_body_init(&k->body);
	buf_init(&k->text, TEXT_MAX);
	return &k->stage;
}

struct edit *
editstage_edit(struct stage *st)
{
	return ((struct editstage *)st)->edit;
}

/* ---- for editors */

bool
edit_set(struct splices *s, struct slice json, const char *pointer,
    struct slice value)
{
	struct jspan span;

	return jspan_pointer(json, pointer, &span) &&
	    splices_insert(s, span.at, span.n, value) == ERR_OK;
}

void
edit_span(struct splices *s, struct jspan at, struct slice value)
{
	(void)splices_insert(s, at.at, at.n, value);
}

void
edit_span_string(struct splices *s, struct jspan at, struct slice text)
{
	struct buf quoted;

	buf_init(&quoted, TEXT_MAX);
	buf_addc(&quoted, '"');
	jspan_escape(&quoted, text);
	buf_addc(&quoted, '"');
	edit_span(s, at, (struct slice){ quoted.data, quoted.len });
	buf_done(&quoted);
}

bool
edit_span_text(struct slice json, struct jspan at, struct jtext *ret)
{
	return at.n > 2 && json.p[at.at] == '"' &&
	    jtext_read(json, at, ret) == ERR_OK;
}

void
edit_role(const struct edit *e, struct splices *s, struct slice json,
    enum dialect_role role, struct slice value)
{
	struct dialect_hit hits[DIALECT_HITS];
	size_t n = dialect_hits(e->dialect, json, role, hits);

	for (size_t i = 0; i < n; i++)
		edit_span(s, hits[i].span, value);
}

void
edit_finish(const struct edit *e, struct splices *s, struct slice json,
    enum dialect_word word)
{
	const char *text = e->dialect->words[word];
	struct jspan at;

	if (!text || !dialect_hit(e->dialect, json, DIALECT_FINISH, &at) ||
	    json.p[at.at] != '"')
		return;
	edit_span_string(s, at, slice_of(text));
	if (e->dialect->details[word])
		edit_role(e, s, json, DIALECT_DETAILS,
		    slice_of(e->dialect->details[word]));
}

bool
edit_set_string(struct splices *s, struct slice json, const char *pointer,
    struct slice text)
{
	struct jspan at;

	if (!jspan_pointer(json, pointer, &at))
		return false;
	edit_span_string(s, at, text);
	return true;
}

void
edit_retell(struct exchange *x, const struct item *it, struct slice text,
    struct buf *out)
{
	const char *end = it->raw.p + it->raw.n, *at = NULL;

	/* A line of JSON is its data, with space about it. */
	if (exchange_answer(x)->is_lines)
		at = memmem(it->raw.p, it->raw.n, it->data.p, it->data.n);
	if (at) {
		buf_add(out, it->raw.p, (size_t)(at - it->raw.p));
		buf_add(out, text.p, text.n);
		at += it->data.n;
		buf_add(out, at, (size_t)(end - at));
	} else {
		sse_retell(out, it->raw, text);
	}
}

enum edit_result
edit_apply(struct splices *s, struct slice json, struct buf *out)
{
	enum edit_result r = s->n && splices_apply(s, json, out) == ERR_OK
	    ? EDIT_CHANGE
	    : EDIT_KEEP;

	splices_done(s);
	return r;
}

bool
edit_text(struct slice json, const char *pointer, struct jtext *ret)
{
	struct jspan span;

	return jspan_pointer(json, pointer, &span) && span.n > 2 &&
	    jtext_read(json, span, ret) == ERR_OK;
}

struct slice
edit_raw(struct slice json, const char *pointer)
{
	struct jspan span;

	if (!jspan_pointer(json, pointer, &span))
		return slice_of(NULL);
	return (struct slice){ json.p + span.at, span.n };
}
