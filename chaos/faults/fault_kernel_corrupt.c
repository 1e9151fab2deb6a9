/*
 * kernel_corrupt{operator,site}: the OpenCL kernel in a model's answer is
 * rewritten so that it still compiles and still passes a smoke test, and is
 * wrong.  Everything around the edit stays byte for byte what it was.
 *
 * A whole answer is editstage's to hold and send.  Of a streamed one an event
 * goes when nothing in it can be edited any more; from the first token of a
 * statement that may be they are held until it is complete and looked at
 * (kernelwatch.h), and are released with the gaps they came with.
 *
 *	HOLDING --the site is known, or the content complete--> OPEN
 *
 * Which site is drawn one by one, in their order, so that it need not be known
 * how many there are: each is taken with one chance in four, the last one if
 * no other was.
 */
#include "chaos/rules/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/faults/delayline.h"
#include "chaos/faults/editstage.h"
#include "chaos/faults/heldstream.h"
#include "chaos/faults/kernelwatch.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"

#define SITES_MAX  10000
#define ONE_IN     4 /* a site is taken with this chance */
#define SITE_DRAW  "site.%zu"
#define DRAW_BYTES 32

struct conf {
	const char *operator_name;
	int64_t site; /* -1: drawn */
};

static const struct jfield fields[] = {
	{ "operator", JF_STRING, JF_REQUIRED, 0, 0,
	    offsetof(struct conf, operator_name), NULL },
	{ "site", JF_INT, 0, 0, SITES_MAX, offsetof(struct conf, site), NULL },
};

#define NO_CHANGE "the edit would change no byte"

/* Of a streamed answer. */
struct corrupt {
	struct stage stage;
	const struct dialect *dialect;
	struct rewrite_choice choice;
	bool is_open;
	struct heldstream *held;  /* owned; NULL: open */
	struct delayline *line;   /* owned: events on their way out */
	struct kernelwatch watch; /* what may go, and when the site is known */
	uint64_t shift_us;        /* out minus in, never less than before */
	struct splices made;      /* owned: the edits, of the content */
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->site = -1;
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;
	struct buf names;
	enum err e;

	if (corrupt_find(c->operator_name))
		return ERR_OK;
	buf_init(&names, WHY_MAX);
	for (size_t i = 0; i < corrupt_count(); i++)
		buf_addf(&names, "%s%s", i ? ", " : "", corrupt_at(i)->name);
	e = why_set(why, ERR_SYNTAX,
	    "%s/operator: found string \"%.40s\", expected one of %s", pointer,
	    c->operator_name, names.data);
	buf_done(&names);
	return e;
}

static bool
takes_site(size_t site, void *arg)
{
	char draw[DRAW_BYTES];

	snprintf(draw, sizeof draw, SITE_DRAW, site);
	return shot_between(arg, draw, 1, ONE_IN) == 1;
}

/* The operator's name is checked before. */
static const struct corrupt_operator *
operator_of(const struct shot *s)
{
	const struct conf *c = shot_conf(s);

	return corrupt_find(c->operator_name);
}

static json_t *
detail_of(const struct shot *s, const struct rewrite *r)
{
	const struct conf *c = shot_conf(s);

	return json_pack("{ss sI sI ss ss}", "operator", c->operator_name,
	    "site", (json_int_t)r->site, "line", (json_int_t)r->line, "before",
	    r->before, "after", r->after);
}

/* Reports that r is about to be made of what is held; false: it must not be. */
static bool
may_edit(struct shot *s, const struct heldstream *held, struct rewrite *r)
{
	size_t sent = heldstream_taken(held);

	/* What has left cannot be taken back; half an edit would no longer
	 * compile, and be found at once. */
	if (r->edits.n && r->edits.items[0].at < sent)
		shot_bypass(s, "the statement was sent before it was known");
	else if (!splices_change(&r->edits, heldstream_content(held)))
		shot_bypass(s, NO_CHANGE);
	else if (shot_fire(s, detail_of(s, r)))
		return true;
	rewrite_done(r);
	return false;
}

static struct rewrite_choice
choice_of(struct shot *s)
{
	const struct conf *c = shot_conf(s);

	return (struct rewrite_choice){ c->site, takes_site, s };
}

/* Plans the edits of the whole content; false: there are none to make. */
static bool
plan(struct shot *s, const struct rewrite_choice *choice, struct slice content,
    struct rewrite *ret)
{
	struct why why = { "" };

	if (rewrite_plan(content, operator_of(s), choice, ret, &why) == ERR_OK)
		return true;
	shot_bypass(s, why.text);
	return false;
}

/* ---- whole answers */

static enum edit_result
on_whole(struct edit *e, struct slice json, struct buf *out)
{
	const struct rewrite_choice choice = choice_of(e->shot);
	struct splices outer = { .n = 0 };
	enum edit_result made = EDIT_KEEP;
	struct rewrite r;
	struct jspan span;
	struct jtext text;

	if (!dialect_hit(e->dialect, json, DIALECT_TEXT, &span) ||
	    json.p[span.at] != '"') {
		shot_bypass(e->shot, "no content in the answer");
		return EDIT_KEEP;
	}
	if (jtext_read(json, span, &text) != ERR_OK) {
		shot_bypass(e->shot, "the content has " EDIT_ODD_TEXT);
		return EDIT_KEEP;
	}
	if (plan(e->shot, &choice, (struct slice){ text.p, text.n }, &r)) {
		e->detail = detail_of(e->shot, &r);
		if (splices_lift(&r.edits, &text, &outer) == ERR_OK)
			made = edit_apply(&outer, json, out);
		rewrite_done(&r);
	}
	splices_done(&outer);
	jtext_done(&text);
	return made;
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = NO_CHANGE,
	.on_whole = on_whole,
};

/* ---- streams */

static uint64_t
now_us(struct corrupt *k)
{
	return loop_now_us(exchange_loop(k->stage.exchange));
}

/* Sends held events up to a byte of the content, with the gaps they had. */
static void
release(struct corrupt *k, size_t upto)
{
	struct held h;

	while (heldstream_take(k->held, upto, &h)) {
		struct item it = { .kind = ITEM_EVENT,
			.raw = h.raw,
			.data = h.data };
		struct item note = { .kind = ITEM_NOTE, .shot = h.note };

		if (now_us(k) - h.came_us > k->shift_us)
			k->shift_us = now_us(k) - h.came_us;
		if (h.raw.n)
			delayline_add(k->line, &it, h.came_us + k->shift_us);
		if (h.note)
			delayline_add(k->line, &note, h.came_us + k->shift_us);
	}
}

static void
release_stream(struct corrupt *k)
{
	struct item note;

	k->is_open = true;
	release(k, SIZE_MAX);
	if (stage_take_note(&k->stage, &note))
		delayline_add(k->line, &note, now_us(k) + k->shift_us);
	heldstream_free(k->held);
	k->held = NULL;
}

/* The note of the edit stands where the edit does. */
static void
edit_held(struct corrupt *k, struct rewrite *r)
{
	struct item note = { .shot = NULL };

	stage_take_note(&k->stage, &note);
	heldstream_edit(k->held, &r->edits, note.shot);
	k->made = r->edits;
	r->edits.n = 0;
	rewrite_done(r);
}

/* Puts the same edits into a text that says the content once more. */
static bool
edit_again(const struct corrupt *k, struct slice json, struct jspan at,
    struct buf *out)
{
	struct splices lifted = { .n = 0 };
	struct jtext text;
	bool is_made;

	if (jtext_read(json, at, &text) != ERR_OK)
		return false;
	is_made = splices_lift(&k->made, &text, &lifted) == ERR_OK &&
	    splices_apply(&lifted, json, out) == ERR_OK;
	splices_done(&lifted);
	jtext_done(&text);
	return is_made;
}

/* An event behind the edit; some dialects say the whole text again. */
static void
pass_later(struct corrupt *k, const struct item *it)
{
	struct dialect_hit hits[DIALECT_HITS];
	struct item changed = *it;
	struct buf data, raw;
	size_t n = it->data.n && k->made.n
	    ? dialect_hits(k->dialect, it->data, DIALECT_TEXT, hits)
	    : 0;

	buf_init(&data, 4 * HELD_BYTES_MAX);
	buf_init(&raw, 4 * HELD_BYTES_MAX);
	/* The Responses dialect says the whole text once more at its end;
	 * unedited, it would give the fault away. */
	if (n && hits[0].place->is_again &&
	    edit_again(k, it->data, hits[0].span, &data)) {
		changed.data = (struct slice){ data.data, data.len };
		edit_retell(k->stage.exchange, it, changed.data, &raw);
		changed.raw = (struct slice){ raw.data, raw.len };
	}
	delayline_add(k->line, &changed, now_us(k) + k->shift_us);
	buf_done(&data);
	buf_done(&raw);
}

static void
content_complete(struct corrupt *k)
{
	struct rewrite r;

	if (plan(k->stage.shot, &k->choice, heldstream_content(k->held), &r) &&
	    may_edit(k->stage.shot, k->held, &r))
		edit_held(k, &r);
	release_stream(k);
}

/* Some more of the content is there. */
static void
content_grew(struct corrupt *k)
{
	struct rewrite r;
	size_t free_to;

	if (kernelwatch_read(&k->watch, heldstream_content(k->held), &r,
	        &free_to) == ERR_AGAIN) {
		release(k, free_to);
		return;
	}
	if (may_edit(k->stage.shot, k->held, &r))
		edit_held(k, &r);
	release_stream(k);
}

static void
on_event(struct corrupt *k, const struct item *it)
{
	enum delta delta = DELTA_NONE;
	enum err e =
	    heldstream_add(k->held, it->raw, it->data, now_us(k), &delta);

	if (e != ERR_OK) {
		shot_bypass(k->stage.shot,
		    e == ERR_TOOBIG ? "answer too long to hold"
		                    : "an event that cannot be edited");
		release_stream(k);
	}
	/* Too long, it was not taken in; any other event that fails was, and
	 * has left with the release. */
	if (e == ERR_TOOBIG)
		delayline_add(k->line, it, now_us(k) + k->shift_us);
	if (e != ERR_OK)
		return;
	if (delta == DELTA_LAST)
		content_complete(k);
	else
		content_grew(k);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct corrupt *k = (struct corrupt *)st;

	if (it->kind == ITEM_HEAD) {
		stage_pass(st, it);
		return;
	}
	if (!k->is_open && it->kind == ITEM_EVENT) {
		on_event(k, it);
		return;
	}
	if (!k->is_open && it->kind == ITEM_NOTE) {
		heldstream_add_note(k->held, it->shot, now_us(k));
		return;
	}
	if (!k->is_open)
		content_complete(k);
	pass_later(k, it);
}

static void
corrupt_free(struct stage *st)
{
	struct corrupt *k = (struct corrupt *)st;

	heldstream_free(k->held);
	delayline_free(k->line);
	splices_done(&k->made);
	free(k);
}

static const struct stage_ops ops = { on_item, corrupt_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct answer_head *a = exchange_answer(x);
	const char *coding = answer_head_get(a, "content-encoding");
	struct corrupt *k;

	if (a->status != 200 || (coding && strcmp(coding, "identity") != 0)) {
		shot_bypass(s,
		    a->status != 200 ? "not a completion" : "encoded answer");
		return NULL;
	}
	if (!a->is_stream)
		return editstage_new(s, x, &editor);
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	k->stage.exchange = x;
	k->dialect = facts_dialect(exchange_facts(x));
	if (!k->dialect)
		k->dialect = &dialect_chat;
	k->held = heldstream_new(k->dialect);
	k->choice = choice_of(s);
	kernelwatch_init(&k->watch, operator_of(s), &k->choice);
	k->line = delayline_new(&k->stage);
	return &k->stage;
}

const struct fault_type fault_kernel_corrupt = {
	.name = "kernel_corrupt",
	.about = "the kernel in the answer is silently made wrong",
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.on_answer = on_answer,
};
