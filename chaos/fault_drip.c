/*
 * drip{bytes,ms}: a body comes in pieces of so many bytes, one each so many
 * milliseconds, wherever that cuts: inside a UTF-8 sequence, between the two
 * newlines of an event.
 */
#include "chaos/fault.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/delayline.h"
#include "chaos/engine.h"
#include "chaos/exchange.h"

#define BYTES_MAX 1e6
#define MS_MAX    60000
#define US_PER_MS 1000

struct conf {
	int64_t bytes, ms;
};

static const struct jfield fields[] = {
	{ "bytes", JF_INT, JF_REQUIRED, 1, BYTES_MAX,
	    offsetof(struct conf, bytes), NULL },
	{ "ms", JF_INT, JF_REQUIRED, 0, MS_MAX, offsetof(struct conf, ms),
	    NULL },
};

struct drip {
	struct stage stage;
	struct delayline *line; /* owned */
	uint64_t next_us;       /* when the next piece may leave */
	bool is_off;
};

static void
drip_out(struct drip *d, struct slice raw)
{
	const struct conf *c = shot_conf(d->stage.shot);
	uint64_t now = loop_now_us(exchange_loop(d->stage.exchange));
	struct item piece = { .kind = ITEM_BYTES };

	if (d->next_us < now)
		d->next_us = now;
	while (raw.n) {
		size_t n = raw.n < (size_t)c->bytes ? raw.n : (size_t)c->bytes;

		piece.raw = (struct slice){ raw.p, n };
		delayline_add(d->line, &piece, d->next_us);
		d->next_us += (uint64_t)c->ms * US_PER_MS;
		raw.p += n;
		raw.n -= n;
	}
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct drip *d = (struct drip *)st;
	const struct conf *c = shot_conf(st->shot);

	if (it->kind == ITEM_HEAD) {
		d->is_off = !shot_fire(st->shot,
		    json_pack("{sI sI}", "bytes", (json_int_t)c->bytes, "ms",
		        (json_int_t)c->ms));
		stage_pass(st, it);
	} else if (it->kind == ITEM_END || d->is_off) {
		delayline_add(d->line, it, d->next_us);
	} else {
		drip_out(d, it->raw);
	}
}

static void
drip_free(struct stage *st)
{
	struct drip *d = (struct drip *)st;

	delayline_free(d->line);
	free(d);
}

static const struct stage_ops ops = { on_item, drip_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct drip *d = xcalloc(1, sizeof *d);

	(void)s;
	/* A gathered answer would leave in one piece. */
	exchange_answer(x)->has_length = false;
	d->stage.ops = &ops;
	d->line = delayline_new(&d->stage);
	return &d->stage;
}

const struct fault_type fault_drip = {
	.name = "drip",
	.about = "the body comes in tiny pieces",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
