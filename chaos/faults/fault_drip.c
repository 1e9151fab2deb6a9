/*
 * drip{bytes,ms}: the body leaves in pieces of so many bytes, one each ms
 * milliseconds, wherever that cuts: inside a UTF-8 sequence, inside a line,
 * between the two line feeds that end an event.  Not a byte is changed.
 */
#include "chaos/faults/delayline.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define BYTES_MAX 1048576
#define WAIT_MAX  60000

struct conf {
	int64_t bytes, ms;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "bytes", JF_INT, 0, 1, BYTES_MAX, offsetof(struct conf, bytes), NULL },
	{ "ms",    JF_INT, 0, 0, WAIT_MAX,  offsetof(struct conf, ms),    NULL },
};
/* clang-format on */

struct drip {
	struct late_stage late;
	uint64_t due_us; /* of the last piece */
	size_t room;     /* left in the last piece */
	bool is_off;
};

static void
defaults(void *conf)
{
	*(struct conf *)conf = (struct conf){ 1, 10 };
}

/* Pieces run on from item to item: only the byte count cuts. */
static void
cut_up(struct drip *k, const struct conf *c, struct slice raw)
{
	uint64_t now = loop_now_us(exchange_loop(k->late.stage.exchange));

	while (raw.n) {
		struct item piece = { .kind = ITEM_BYTES, .raw = raw };

		if (k->room == 0) {
			k->room = (size_t)c->bytes;
			k->due_us += (uint64_t)c->ms * US_PER_MS;
			/* Time that the upstream took is not made up for with a
			 * burst. */
			if (k->due_us < now)
				k->due_us = now;
		}
		if (piece.raw.n > k->room)
			piece.raw.n = k->room;
		delayline_add(k->late.line, &piece, k->due_us);
		k->room -= piece.raw.n;
		raw.p += piece.raw.n;
		raw.n -= piece.raw.n;
	}
}

static void
on_head(struct drip *k, const struct conf *c)
{
	k->is_off = !shot_fire(k->late.stage.shot,
	    json_pack("{sI sI}", "bytes", (json_int_t)c->bytes, "ms",
	        (json_int_t)c->ms));
	if (!k->is_off)
		/* Gathered to its known length, the body would leave in one
		 * piece. */
		exchange_answer(k->late.stage.exchange)->is_raw = true;
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct drip *k = (struct drip *)st;
	const struct conf *c = shot_conf(st->shot);

	if (it->kind == ITEM_HEAD)
		on_head(k, c);
	if (k->is_off || it->kind == ITEM_HEAD)
		stage_pass(st, it);
	/* An end or a note leaves right behind the piece before it. */
	else if (it->raw.n == 0)
		delayline_add(k->late.line, it, k->due_us);
	else
		cut_up(k, c, it->raw);
}

static const struct stage_ops ops = { on_item, late_stage_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct drip *k;

	if (!answer_head_has_body(exchange_answer(x),
	        exchange_facts(x)->head)) {
		shot_bypass(s, "the answer has no body");
		return NULL;
	}
	k = late_stage_new(sizeof *k, &ops);
	return &k->late.stage;
}

const struct fault_type fault_drip = {
	.name = "drip",
	.about = "the body leaves a few bytes at a time",
	.is_piped = true,
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
