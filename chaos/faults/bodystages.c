/*
 * Cutting a body, and putting a page in its place: both change an answer's
 * length, so a head that promised another is theirs as well as the bytes.
 */
#include "chaos/faults/bodystages.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/faults/whole_body.h"
#include "chaos/http/exchange.h"

#define TOO_SHORT "the body ended before the cut"

/* ---- truncate */

struct truncate {
	struct stage stage;
	uint64_t passed, max;
	enum item_end how;
	bool is_cut, is_off;
};

/* Reports the cut; false: leave the answer alone. */
static bool
fire(struct truncate *k)
{
	static const char *const names[] = { "clean", "fin", "rst" };

	k->is_off = !shot_fire(k->stage.shot,
	    json_pack("{sI ss}", "bytes", (json_int_t)k->max, "how",
	        names[k->how]));
	return !k->is_off;
}

/* A known length is judged, and for a clean end changed, before it leaves. */
static void
on_head(struct truncate *k)
{
	struct answer_head *a = exchange_answer(k->stage.exchange);

	if (!a->has_length)
		return;
	if (a->content_bytes <= k->max) {
		k->is_off = true;
	} else if (fire(k) && k->how == ITEM_END_CLEAN) {
		a->content_bytes = k->max;
	}
}

static void
cut(struct truncate *k, const struct item *it)
{
	struct item part = { .kind = ITEM_BYTES, .raw = it->raw };
	struct item end = { .kind = ITEM_END, .end = k->how };

	k->is_cut = true;
	exchange_stop_source(k->stage.exchange);
	part.raw.n = (size_t)(k->max - k->passed);
	if (part.raw.n)
		stage_pass(&k->stage, &part);
	stage_pass(&k->stage, &end);
}

static void
truncate_item(struct stage *st, const struct item *it)
{
	struct truncate *k = (struct truncate *)st;

	if (k->is_cut)
		return;
	if (it->kind == ITEM_HEAD)
		on_head(k);
	else if (!k->is_off && k->passed + it->raw.n > k->max &&
	    (st->shot->is_reported || fire(k))) {
		cut(k, it);
		return;
	}
	k->passed += it->raw.n;
	stage_pass(st, it);
}

static void
truncate_free(struct stage *st)
{
	free((struct truncate *)st);
}

static const struct stage_ops truncate_ops = { truncate_item, truncate_free };

struct stage *
truncate_stage_new(struct shot *s, struct exchange *x, uint64_t n,
    enum item_end how)
{
	struct truncate *k = xcalloc(1, sizeof *k);

	(void)x;
	shot_expect(s, TOO_SHORT);
	k->stage.ops = &truncate_ops;
	k->max = n;
	k->how = how;
	return &k->stage;
}

/* ---- html */

static const char page[] =
    "<!DOCTYPE html>\n<html>\n<head><title>Sign in to the network</title>"
    "</head>\n<body>\n<h1>Sign in to the network</h1>\n<p>Please open your "
    "browser and accept the terms of use to go on.</p>\n</body>\n</html>\n";

#define PAGE_TYPE "text/html; charset=utf-8"

struct html {
	struct stage stage;
	bool is_off;
	bool is_like; /* by its head the answer may be that page already */
	struct whole_body body;
};

static void
send_page(struct html *k, const struct item *head)
{
	struct exchange *x = k->stage.exchange;
	struct answer_head *a = exchange_answer(x);
	struct item body = { .kind = ITEM_BYTES, .raw = slice_of(page) };
	struct item end = { .kind = ITEM_END, .end = ITEM_END_CLEAN };

	exchange_stop_source(x);
	a->status = 200;
	a->has_length = true;
	a->content_bytes = body.raw.n;
	answer_head_remove(a, "content-type");
	answer_head_remove(a, "content-encoding");
	answer_head_add(a, "content-type", PAGE_TYPE);
	stage_pass(&k->stage, head);
	stage_pass(&k->stage, &body);
	stage_pass(&k->stage, &end);
}

/* The page comes in the answer's place; false: it must not. */
static bool
replace(struct html *k)
{
	const struct item head = { .kind = ITEM_HEAD };

	k->is_off = !shot_fire(k->stage.shot,
	    json_pack("{si}", "was",
	        exchange_answer(k->stage.exchange)->status));
	if (!k->is_off)
		send_page(k, &head);
	return !k->is_off;
}

static bool
is_like_page(const struct answer_head *a)
{
	const char *type = answer_head_get(a, "content-type");

	return a->status == 200 && a->has_length &&
	    a->content_bytes == strlen(page) && type &&
	    strcmp(type, PAGE_TYPE) == 0 &&
	    !answer_head_get(a, "content-encoding");
}

/* What looks like the page is held until its bytes tell. */
static void
compare(struct html *k, const struct item *it)
{
	enum whole_body_state state = whole_body_add(&k->body, it);
	struct slice body = whole_body_bytes(&k->body);

	if (state == WHOLE_BODY_HELD)
		return;
	k->is_off = state == WHOLE_BODY_END && it->end == ITEM_END_CLEAN &&
	    slice_is(body, page);
	if (k->is_off)
		shot_bypass(k->stage.shot, "it is that page already");
	else if (replace(k))
		return;
	whole_body_release(&k->body, &k->stage, body);
	stage_pass(&k->stage, it);
}

static void
html_item(struct stage *st, const struct item *it)
{
	struct html *k = (struct html *)st;

	if (it->kind == ITEM_HEAD)
		k->is_like = is_like_page(exchange_answer(st->exchange));
	if (k->is_like && !k->body.is_open && !st->shot->is_reported)
		compare(k, it);
	else if (k->is_off || (it->kind == ITEM_HEAD && !replace(k)))
		stage_pass(st, it);
}

static void
html_free(struct stage *st)
{
	struct html *k = (struct html *)st;

	whole_body_done(&k->body);
	free(k);
}

static const struct stage_ops html_ops = { html_item, html_free };

struct stage *
html_stage_new(struct shot *s, struct exchange *x)
{
	struct html *k = xcalloc(1, sizeof *k);

	(void)s;
	(void)x;
	k->stage.ops = &html_ops;
	whole_body_init(&k->body);
	return &k->stage;
}
