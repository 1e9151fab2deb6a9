/*
 * gzip without compressing: a header, the bytes in "stored" blocks, a
 * trailer with checksum and length (RFC 1951 and 1952).  That is valid gzip,
 * so that what is broken about it is exactly what is meant to be.
 *
 *	crc    everything is right but the checksum
 *	cut    the last block and the trailer are missing
 *	plain  the bytes as they were under a content-encoding that is a lie
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "chaos/faults/bodystages.h"
#include "chaos/http/exchange.h"

#define STORED_MAX 65535u

static const char *const names[] = {
	[GZIP_CRC] = "crc",
	[GZIP_CUT] = "cut",
	[GZIP_PLAIN] = "plain",
};

struct gzip {
	struct stage stage;
	enum gzip_kind kind;
	bool is_off;
	uint32_t bytes;
};

static void
pass_bytes(struct gzip *k, const void *p, size_t n)
{
	struct item it = { .kind = ITEM_BYTES, .raw = { p, n } };

	stage_pass(&k->stage, &it);
}

static void
put16(unsigned char *out, unsigned v)
{
	out[0] = (unsigned char)(v & 0xff);
	out[1] = (unsigned char)(v >> 8);
}

static void
stored(struct gzip *k, struct slice raw)
{
	while (raw.n) {
		unsigned n = raw.n < STORED_MAX ? (unsigned)raw.n : STORED_MAX;
		unsigned char head[5] = { 0 };

		put16(head + 1, n);
		/* The length again, inverted (RFC 1951, 3.2.4). */
		put16(head + 3, ~n & 0xffff);
		pass_bytes(k, head, sizeof head);
		pass_bytes(k, raw.p, n);
		k->bytes += n;
		raw.p += n;
		raw.n -= n;
	}
}

/* An empty last block, a checksum that fits nothing, the length. */
static void
trailer(struct gzip *k)
{
	/* 1 marks the last block; the checksum is the same for every body, and
	 * right for none that is likely. */
	unsigned char end[] = { 1, 0, 0, 0xff, 0xff, 0xde, 0xad, 0xbe, 0xef, 0,
		0, 0, 0 };

	put16(end + 9, k->bytes & 0xffff);
	put16(end + 11, k->bytes >> 16);
	pass_bytes(k, end, sizeof end);
}

static void
begin(struct gzip *k, const struct item *head)
{
	static const unsigned char magic[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0,
		0, 3 };
	struct answer_head *a = exchange_answer(k->stage.exchange);

	k->is_off = !shot_fire(k->stage.shot,
	    json_pack("{ss}", "gzip_broken", names[k->kind]));
	if (!k->is_off) {
		answer_head_remove(a, "content-encoding");
		answer_head_add(a, "content-encoding", "gzip");
		a->has_length = a->has_length && k->kind == GZIP_PLAIN;
	}
	stage_pass(&k->stage, head);
	if (!k->is_off && k->kind != GZIP_PLAIN)
		pass_bytes(k, magic, sizeof magic);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct gzip *k = (struct gzip *)st;

	if (it->kind == ITEM_HEAD) {
		begin(k, it);
		return;
	}
	if (k->is_off || k->kind == GZIP_PLAIN || it->kind == ITEM_NOTE) {
		stage_pass(st, it);
		return;
	}
	if (it->kind == ITEM_END && k->kind == GZIP_CRC)
		trailer(k);
	if (it->kind == ITEM_END)
		stage_pass(st, it);
	else
		stored(k, it->raw);
}

static void
gzip_free(struct stage *st)
{
	free((struct gzip *)st);
}

static const struct stage_ops ops = { on_item, gzip_free };

struct stage *
gzip_stage_new(struct shot *s, struct exchange *x, enum gzip_kind kind)
{
	struct gzip *k;

	if (!answer_head_has_body(exchange_answer(x),
	        exchange_facts(x)->head)) {
		shot_bypass(s, "the answer has no body");
		return NULL;
	}
	/* What is compressed already would need two codings, and a client that
	 * undoes one of them would meet no fault. */
	if (answer_head_get(exchange_answer(x), "content-encoding")) {
		shot_bypass(s, "encoded answer");
		return NULL;
	}
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	k->kind = kind;
	return &k->stage;
}
