/*
 * Each held block remembers which part of the content it carries and where
 * that part stands in its bytes, so that an edit of the content becomes edits
 * of blocks: the new text goes into the first block it touches, the others
 * only lose what was replaced.
 */
#include "chaos/faults/heldstream.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sse.h"
#include "base/sse_end.h"
#include "chaos/text/jspan.h"

struct block {
	char *raw; /* owned */
	size_t nraw;
	size_t data_at, ndata; /* the data within raw */
	size_t content_at;     /* where its part of the content begins */
	struct jtext text;     /* its part; positions are of raw */
	bool has_text;
	uint64_t came_us;
	void *note; /* borrowed */
};

struct heldstream {
	const struct dialect *dialect;
	struct block *blocks; /* owned */
	size_t n, size;
	size_t gone; /* blocks that were taken, from the first */
	size_t bytes;
	struct buf content;
};

struct heldstream *
heldstream_new(const struct dialect *dialect)
{
	struct heldstream *h = xcalloc(1, sizeof *h);

	h->dialect = dialect;
	buf_init(&h->content, HELD_BYTES_MAX);
	return h;
}

void
heldstream_free(struct heldstream *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++) {
		free(h->blocks[i].raw);
		jtext_done(&h->blocks[i].text);
	}
	free(h->blocks);
	buf_done(&h->content);
	free(h);
}

static struct block *
append(struct heldstream *h, struct slice raw, uint64_t now_us)
{
	struct block *b;

	if (h->n == h->size) {
		h->size = h->size ? 2 * h->size : 64;
		h->blocks =
		    xreallocarray(h->blocks, h->size, sizeof *h->blocks);
	}
	b = &h->blocks[h->n++];
	*b = (struct block){ .raw = xmemdup(raw.p, raw.n),
		.nraw = raw.n,
		.content_at = h->content.len,
		.came_us = now_us };
	h->bytes += raw.n;
	return b;
}

void
heldstream_add_note(struct heldstream *h, void *note, uint64_t now_us)
{
	append(h, slice_of(""), now_us)->note = note;
}

/* Decodes the block's piece of content, if it has one. */
static enum err
read_text(struct heldstream *h, struct block *b)
{
	struct slice json = { b->raw + b->data_at, b->ndata };
	struct jspan span;
	enum err e;

	if (!dialect_hit(h->dialect, json, DIALECT_TEXT, &span) ||
	    json.p[span.at] != '"')
		return ERR_OK;
	e = jtext_read(json, span, &b->text);
	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i <= b->text.n; i++)
		b->text.at[i] += (uint32_t)b->data_at;
	b->has_text = b->text.n > 0;
	return buf_add(&h->content, b->text.p, b->text.n);
}

enum err
heldstream_add(struct heldstream *h, struct slice raw, struct slice data,
    uint64_t now_us, enum delta *ret)
{
	const char *at = data.n ? memmem(raw.p, raw.n, data.p, data.n) : NULL;
	struct block *b;
	enum err e = ERR_OK;

	if (raw.n > HELD_BYTES_MAX - h->bytes)
		return ERR_TOOBIG;
	b = append(h, raw, now_us);
	*ret = DELTA_NONE;
	/* Data that came in several lines has no one place in the block, so an
	 * edit would have none either. */
	if (data.n && !at)
		return ERR_SYNTAX;
	if (at) {
		b->data_at = (size_t)(at - raw.p);
		b->ndata = data.n;
		e = read_text(h, b);
	}
	if (b->has_text)
		*ret = DELTA_CONTENT;
	if (sse_end_is_done(data) || dialect_has_finish(h->dialect, data))
		*ret = DELTA_LAST;
	return e;
}

struct slice
heldstream_content(const struct heldstream *h)
{
	return (struct slice){ h->content.data, h->content.len };
}

/* The part of the edits that falls into block b, in its own positions. */
static enum err
edits_of_block(const struct block *b, const struct splices *edits,
    struct splices *ret)
{
	size_t from = b->content_at, to = from + b->text.n;
	enum err e = ERR_OK;

	for (size_t i = 0; i < edits->n && e == ERR_OK; i++) {
		const struct splice *x = &edits->items[i];
		size_t lo = x->at > from ? x->at : from;
		size_t hi = x->at + x->n < to ? x->at + x->n : to;
		bool is_first = x->at >= from && x->at < to;

		if (!is_first && hi <= lo)
			continue;
		e = splices_add(ret, lo - from, hi > lo ? hi - lo : 0,
		    slice_of(is_first ? x->text : ""));
	}
	return e;
}

static enum err
edit_block(struct block *b, const struct splices *edits, bool *ret_changed)
{
	struct splices inner = { .n = 0 }, outer = { .n = 0 };
	struct slice raw = { b->raw, b->nraw };
	struct buf out;
	enum err e = edits_of_block(b, edits, &inner);

	buf_init(&out, HELD_BYTES_MAX);
	if (e == ERR_OK && inner.n)
		e = splices_lift(&inner, &b->text, &outer);
	if (e == ERR_OK && outer.n)
		e = splices_apply(&outer, raw, &out);
	if (e == ERR_OK && outer.n) {
		free(b->raw);
		b->ndata += out.len - b->nraw;
		b->nraw = out.len;
		b->raw = buf_take(&out);
		*ret_changed = true;
	}
	buf_done(&out);
	splices_done(&inner);
	splices_done(&outer);
	return e;
}

enum err
heldstream_edit(struct heldstream *h, const struct splices *edits, void *note)
{
	struct block *last = NULL;
	enum err e = ERR_OK;

	for (size_t i = h->gone; i < h->n && e == ERR_OK; i++) {
		bool is_changed = false;

		if (h->blocks[i].has_text)
			e = edit_block(&h->blocks[i], edits, &is_changed);
		if (is_changed)
			last = &h->blocks[i];
	}
	if (last)
		last->note = note;
	return e;
}

bool
heldstream_take(struct heldstream *h, size_t upto, struct held *ret)
{
	const struct block *b = &h->blocks[h->gone];

	if (h->gone == h->n || b->content_at + b->text.n > upto)
		return false;
	*ret = (struct held){ .raw = { b->raw, b->nraw },
		.data = { b->raw + b->data_at, b->ndata },
		.came_us = b->came_us,
		.note = b->note };
	h->gone++;
	return true;
}

size_t
heldstream_taken(const struct heldstream *h)
{
	return h->gone < h->n ? h->blocks[h->gone].content_at : h->content.len;
}
