/*
 * linger{ms}: a stream gives everything, its [DONE] too, and then does not
 * end: silence for ms milliseconds, or without ms for ever.
 */
#include "chaos/faults/delayline.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define WAIT_MAX 3600000

struct conf {
	int64_t ms; /* 0: for ever */
};

static const struct jfield fields[] = {
	{ "ms", JF_INT, 0, 0, WAIT_MAX, offsetof(struct conf, ms), NULL },
};

static void
on_end(struct late_stage *k, const struct item *end)
{
	const struct conf *c = shot_conf(k->stage.shot);
	bool lingers = shot_fire(k->stage.shot,
	    json_pack("{sI}", "ms", (json_int_t)c->ms));

	stage_note(&k->stage);
	if (!lingers)
		stage_pass(&k->stage, end);
	else if (c->ms)
		delayline_add(k->line, end,
		    loop_now_us(exchange_loop(k->stage.exchange)) +
		        (uint64_t)c->ms * US_PER_MS);
	else
		exchange_hush(k->stage.exchange);
}

static void
on_item(struct stage *st, const struct item *it)
{
	if (it->kind == ITEM_END)
		on_end((struct late_stage *)st, it);
	else
		stage_pass(st, it);
}

static const struct stage_ops ops = { on_item, late_stage_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct late_stage *k;

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	k = late_stage_new(sizeof *k, &ops);
	return &k->stage;
}

const struct fault_type fault_linger = {
	.name = "linger",
	.about = "a complete stream that does not end",
	FAULT_CONF,
	.on_answer = on_answer,
};
