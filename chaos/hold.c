/*
 *	PASSING --the place--> HOLDING --time is over--> PASSED
 *
 * While it holds for a time, items wait in a delay line; for ever, they are
 * dropped and the source is stopped: nobody will ever see them.
 */
#include "chaos/hold.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/delayline.h"
#include "chaos/engine.h"
#include "chaos/exchange.h"

#define US_PER_MS 1000

struct hold {
	struct stage stage;
	struct hold_conf conf;
	uint64_t events;
	bool is_holding, is_off;
	uint64_t until_us;
	struct delayline *line; /* owned */
};

static bool
is_here(const struct hold *h, const struct item *it)
{
	if (h->conf.at == HOLD_END)
		return it->kind == ITEM_END;
	return it->kind == ITEM_EVENT && it->data.n > 0 &&
	    h->events >= h->conf.events;
}

static void
begin(struct hold *h)
{
	struct exchange *x = h->stage.exchange;

	if (!shot_fire(h->stage.shot,
	        json_pack("{sI sI}", "events", (json_int_t)h->events, "ms",
	            (json_int_t)h->conf.ms))) {
		h->is_off = true;
		return;
	}
	h->is_holding = true;
	h->until_us = loop_now_us(exchange_loop(x)) + h->conf.ms * US_PER_MS;
	if (h->conf.ms == 0)
		exchange_stop_source(x);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct hold *h = (struct hold *)st;

	if (!h->is_holding && !h->is_off && is_here(h, it))
		begin(h);
	if (h->is_holding) {
		if (h->conf.ms)
			delayline_add(h->line, it, h->until_us);
		return;
	}
	h->events += it->kind == ITEM_EVENT && it->data.n > 0;
	if (it->kind == ITEM_END && !h->is_off)
		shot_bypass(st->shot, "the answer ended before the place");
	stage_pass(st, it);
}

static void
hold_free(struct stage *st)
{
	struct hold *h = (struct hold *)st;

	delayline_free(h->line);
	free(h);
}

static const struct stage_ops ops = { on_item, hold_free };

struct stage *
hold_new(const struct hold_conf *conf)
{
	struct hold *h = xcalloc(1, sizeof *h);

	h->stage.ops = &ops;
	h->conf = *conf;
	h->line = delayline_new(&h->stage);
	return &h->stage;
}
