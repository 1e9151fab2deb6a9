/*
 * A plain answer is gathered, its head held, because its length may change;
 * events pass one by one.  What is no JSON passes as it is.
 */
#include "chaos/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/sse.h"
#include "chaos/engine.h"
#include "chaos/exchange.h"

#define WHOLE_MAX ((size_t)4 << 20)

struct edit_stage {
	struct stage stage;
	edit_fn *fn;
	struct buf body;   /* a plain answer so far */
	bool is_gathering; /* its head is held */
	bool is_off;
	uint64_t text_bytes;
};

static void
note_text(struct edit_stage *s, json_t *part)
{
	json_t *content = json_object_get(part, "content");

	s->text_bytes += json_string_length(content);
}

/* The edited text, owned; NULL: as it was. */
static char *
edit_text(struct edit_stage *s, struct slice text, const char *part)
{
	json_t *doc = text.n ? json_loadb(text.p, text.n, 0, NULL) : NULL;
	struct edit e = { .doc = doc,
		.conf = shot_conf(s->stage.shot),
		.text_bytes = s->text_bytes };
	json_t *before;
	char *edited = NULL;

	if (!json_is_object(doc)) {
		json_decref(doc);
		return NULL;
	}
	e.choice = json_array_get(json_object_get(doc, "choices"), 0);
	e.part = json_object_get(e.choice, part);
	before = json_deep_copy(e.part);
	if (s->fn(&e) &&
	    (s->stage.shot->is_active || shot_fire(s->stage.shot, NULL)))
		edited = json_dumps(doc, JSON_COMPACT);
	note_text(s, before);
	s->is_off = s->stage.shot->is_reported && !s->stage.shot->is_active;
	json_decref(before);
	json_decref(doc);
	return edited;
}

static void
edit_event(struct edit_stage *s, const struct item *it)
{
	char *edited = s->is_off ? NULL : edit_text(s, it->data, "delta");
	struct item out = *it;
	struct buf raw;

	if (!edited) {
		stage_pass(&s->stage, it);
		return;
	}
	buf_init(&raw, WHOLE_MAX);
	if (sse_write(&raw, edited, strlen(edited)) == ERR_OK) {
		out.raw = (struct slice){ raw.data, raw.len };
		out.data = slice_of(edited);
	}
	stage_pass(&s->stage, &out);
	buf_done(&raw);
	free(edited);
}

static void
release(struct edit_stage *s, struct slice body)
{
	struct answer *a = exchange_answer(s->stage.exchange);
	struct item head = { .kind = ITEM_HEAD };
	struct item bytes = { .kind = ITEM_BYTES, .raw = body };

	s->is_gathering = false;
	if (s->stage.shot->is_active)
		a->content_bytes = body.n;
	stage_pass(&s->stage, &head);
	if (body.n)
		stage_pass(&s->stage, &bytes);
}

static void
on_whole(struct edit_stage *s, const struct item *it)
{
	struct slice body = { s->body.data, s->body.len };
	char *edited = NULL;

	if (it->kind == ITEM_HEAD)
		return;
	if (it->kind == ITEM_BYTES &&
	    buf_add(&s->body, it->raw.p, it->raw.n) == ERR_OK)
		return;
	if (it->kind == ITEM_END && it->end == ITEM_END_CLEAN)
		edited = edit_text(s, body, "message");
	release(s, edited ? slice_of(edited) : body);
	free(edited);
	if (it->kind == ITEM_END)
		shot_bypass(s->stage.shot, "nothing to edit in the answer");
	stage_pass(&s->stage, it);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct edit_stage *s = (struct edit_stage *)st;

	if (s->is_gathering) {
		on_whole(s, it);
		return;
	}
	if (it->kind == ITEM_EVENT) {
		edit_event(s, it);
		return;
	}
	if (it->kind == ITEM_END)
		shot_bypass(st->shot, "nothing to edit in the answer");
	stage_pass(st, it);
}

static void
edit_free(struct stage *st)
{
	struct edit_stage *s = (struct edit_stage *)st;

	buf_done(&s->body);
	free(s);
}

static const struct stage_ops ops = { on_item, edit_free };

struct stage *
edit_new(struct shot *s, struct exchange *x, edit_fn *fn)
{
	struct edit_stage *e;

	if (exchange_answer(x)->status != 200) {
		shot_bypass(s, "not a completion");
		return NULL;
	}
	e = xcalloc(1, sizeof *e);
	e->stage.ops = &ops;
	e->fn = fn;
	e->is_gathering = !exchange_answer(x)->is_stream;
	buf_init(&e->body, WHOLE_MAX);
	return &e->stage;
}
