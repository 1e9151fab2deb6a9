/*
 * kernel_corrupt{operator,site}: the OpenCL kernel in a model's answer is
 * rewritten so that it still compiles and still passes a smoke test, and is
 * wrong.  Everything around the edit stays byte for byte what it was.
 *
 * A whole answer is gathered, edited and sent.  Of a streamed one an event
 * goes when its statement is over and cannot be edited; from the first
 * statement that could be (editfrom.h) they are held until the content is
 * complete, because only then the sites are known, then edited and released
 * with the gaps they came with.
 *
 *	HOLDING --content complete--> OPEN   (edited, or bypassed with reason)
 */
#include "chaos/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/delayline.h"
#include "chaos/editfrom.h"
#include "chaos/engine.h"
#include "chaos/exchange.h"
#include "chaos/heldstream.h"
#include "chaos/rewrite.h"

#define SITES_MAX 10000

struct conf {
	const char *operator_name;
	int64_t site; /* -1: drawn */
};

static const struct jfield fields[] = {
	{ "operator", JF_STRING, JF_REQUIRED, 0, 0,
	    offsetof(struct conf, operator_name), NULL },
	{ "site", JF_INT, 0, 0, SITES_MAX, offsetof(struct conf, site), NULL },
};

struct corrupt {
	struct stage stage;
	bool is_open;
	bool is_whole;           /* not a stream */
	struct buf body;         /* whole: what there is of it */
	struct heldstream *held; /* stream: owned */
	bool is_unfit;           /* a held block cannot be edited */
	struct delayline *line;  /* owned: events on their way out */
	struct editfrom from;    /* where an edit may begin */
	uint64_t shift_us;       /* out minus in, never less than before */
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

static size_t
pick_site(size_t n, void *arg)
{
	const struct shot *s = arg;
	const struct conf *c = shot_conf(s);

	if (c->site >= 0)
		return (size_t)c->site;
	return (size_t)shot_between(s, "site", 0, n - 1);
}

/*
 * Plans the edits of content, whose first `sent` bytes are gone, and reports
 * them; ERR_STATE: must not act.
 */
static enum err
plan(struct shot *s, struct slice content, size_t sent, struct rewrite *ret)
{
	const struct conf *c = shot_conf(s);
	struct why why = { "" };
	enum err e = rewrite_plan(content, corrupt_find(c->operator_name),
	    pick_site, s, ret, &why);

	if (e != ERR_OK) {
		shot_bypass(s, why.text);
		return e;
	}
	if (ret->edits.n && ret->edits.items[0].at < sent) {
		shot_bypass(s, "the statement was sent before it was known");
		rewrite_done(ret);
		return ERR_STATE;
	}
	if (shot_fire(s,
	        json_pack("{ss sI sI sI ss ss}", "operator", c->operator_name,
	            "site", (json_int_t)ret->site, "sites",
	            (json_int_t)ret->nsites, "line", (json_int_t)ret->line,
	            "before", ret->before, "after", ret->after)))
		return ERR_OK;
	rewrite_done(ret);
	return ERR_STATE;
}

/* ---- whole answers */

/* The edited body in *out; anything but ERR_OK: send it as it came. */
static enum err
edit_whole(struct corrupt *k, struct buf *out)
{
	static const char *const path[] = { "choices", "0", "message",
		"content" };
	struct slice body = { k->body.data, k->body.len };
	struct splices outer = { .n = 0 };
	struct rewrite r;
	struct jspan span;
	struct jtext text;
	enum err e;

	if (!jspan_find(body, path, 4, &span) ||
	    jtext_read(body, span, &text) != ERR_OK) {
		shot_bypass(k->stage.shot, "no content in the answer");
		return ERR_NOTFOUND;
	}
	e = plan(k->stage.shot, (struct slice){ text.p, text.n }, 0, &r);
	if (e == ERR_OK) {
		e = splices_lift(&r.edits, &text, &outer);
		if (e == ERR_OK)
			e = splices_apply(&outer, body, out);
		rewrite_done(&r);
	}
	splices_done(&outer);
	jtext_done(&text);
	return e;
}

/* Lets the gathered answer go, edited or as it came. */
static void
release_whole(struct corrupt *k, struct slice body)
{
	struct item head = { .kind = ITEM_HEAD };
	struct item bytes = { .kind = ITEM_BYTES, .raw = body };

	k->is_open = true;
	stage_pass(&k->stage, &head);
	if (body.n)
		stage_pass(&k->stage, &bytes);
}

static void
end_whole(struct corrupt *k, enum item_end end)
{
	struct answer *a = exchange_answer(k->stage.exchange);
	struct slice body = { k->body.data, k->body.len };
	struct buf out;

	buf_init(&out, 2 * HELD_BYTES_MAX);
	if (end != ITEM_END_CLEAN)
		shot_bypass(k->stage.shot, "the answer was cut");
	else if (edit_whole(k, &out) == ERR_OK) {
		body = (struct slice){ out.data, out.len };
		a->content_bytes = out.len;
	}
	release_whole(k, body);
	buf_done(&out);
}

static void
on_whole(struct corrupt *k, const struct item *it)
{
	if (it->kind == ITEM_HEAD)
		return;
	if (it->kind == ITEM_END) {
		end_whole(k, it->end);
		stage_pass(&k->stage, it);
		return;
	}
	if (buf_add(&k->body, it->raw.p, it->raw.n) == ERR_OK)
		return;
	shot_bypass(k->stage.shot, "answer too long to hold");
	release_whole(k, (struct slice){ k->body.data, k->body.len });
	stage_pass(&k->stage, it);
}

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
	struct item it = { .kind = ITEM_EVENT };
	uint64_t came_us = 0;

	while (heldstream_take(k->held, upto, &it.raw, &it.data, &came_us)) {
		if (now_us(k) - came_us > k->shift_us)
			k->shift_us = now_us(k) - came_us;
		delayline_add(k->line, &it, came_us + k->shift_us);
	}
}

static void
release_stream(struct corrupt *k)
{
	k->is_open = true;
	release(k, SIZE_MAX);
	heldstream_free(k->held);
	k->held = NULL;
}

static void
content_complete(struct corrupt *k)
{
	struct rewrite r;

	if (k->is_unfit)
		shot_bypass(k->stage.shot, "an event that cannot be edited");
	else if (plan(k->stage.shot, heldstream_content(k->held),
	             heldstream_taken(k->held), &r) == ERR_OK) {
		heldstream_edit(k->held, &r.edits);
		rewrite_done(&r);
	}
	release_stream(k);
}

static void
on_event(struct corrupt *k, const struct item *it)
{
	enum delta delta = DELTA_NONE;
	enum err e =
	    heldstream_add(k->held, it->raw, it->data, now_us(k), &delta);

	if (e == ERR_TOOBIG) {
		shot_bypass(k->stage.shot, "answer too long to hold");
		release_stream(k);
		delayline_add(k->line, it, now_us(k) + k->shift_us);
		return;
	}
	if (e != ERR_OK)
		k->is_unfit = true;
	if (delta == DELTA_LAST)
		content_complete(k);
	else
		release(k,
		    editfrom_read(&k->from, heldstream_content(k->held)));
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct corrupt *k = (struct corrupt *)st;

	if (!k->is_open && k->is_whole) {
		on_whole(k, it);
		return;
	}
	if (it->kind == ITEM_HEAD) {
		stage_pass(st, it);
		return;
	}
	if (!k->is_open && it->kind == ITEM_EVENT) {
		on_event(k, it);
		return;
	}
	if (!k->is_open)
		content_complete(k);
	delayline_add(k->line, it, now_us(k) + k->shift_us);
}

static void
corrupt_free(struct stage *st)
{
	struct corrupt *k = (struct corrupt *)st;

	buf_done(&k->body);
	heldstream_free(k->held);
	delayline_free(k->line);
	free(k);
}

static const struct stage_ops ops = { on_item, corrupt_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct answer *a = exchange_answer(x);
	const char *coding = answer_get(a, "content-encoding");
	struct corrupt *k;

	if (a->status != 200 || (coding && strcmp(coding, "identity") != 0)) {
		shot_bypass(s,
		    a->status != 200 ? "not a completion" : "encoded answer");
		return NULL;
	}
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	k->stage.exchange = x;
	k->is_whole = !a->is_stream;
	buf_init(&k->body, HELD_BYTES_MAX);
	k->held = heldstream_new();
	editfrom_init(&k->from,
	    ((const struct conf *)shot_conf(s))->operator_name);
	k->line = delayline_new(&k->stage);
	return &k->stage;
}

const struct fault_type fault_kernel_corrupt = {
	.name = "kernel_corrupt",
	.about = "the kernel in the answer is silently made wrong",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.defaults = defaults,
	.check = check,
	.on_answer = on_answer,
};
