/*
 * header_stall{bytes,ms}: the first bytes of the answer's head leave, then
 * there is silence: for ms milliseconds, after which the answer goes on as if
 * nothing had been; or without ms for ever.  bytes 0: not even the first one.
 */
#include "chaos/faults/delayline.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define BYTES_MAX 65536
#define WAIT_MAX  3600000

struct conf {
	int64_t bytes;
	int64_t ms; /* 0: for ever */
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "bytes", JF_INT, 0, 0, BYTES_MAX, offsetof(struct conf, bytes), NULL },
	{ "ms",    JF_INT, 0, 0, WAIT_MAX,  offsetof(struct conf, ms),    NULL },
};
/* clang-format on */

struct stall {
	struct late_stage late;
	uint64_t until_us; /* 0: not stalled */
	bool is_silent;    /* for ever */
};

static void
begin(struct stall *k, const struct item *head)
{
	const struct conf *c = shot_conf(k->late.stage.shot);
	struct exchange *x = k->late.stage.exchange;
	struct answer_head *a = exchange_answer(x);

	if (!shot_fire(k->late.stage.shot,
	        json_pack("{sI sI}", "bytes", (json_int_t)c->bytes, "ms",
	            (json_int_t)c->ms))) {
		stage_pass(&k->late.stage, head);
		return;
	}
	a->is_raw = true;
	a->head_first = (size_t)c->bytes;
	k->is_silent = c->ms == 0;
	k->until_us =
	    loop_now_us(exchange_loop(x)) + (uint64_t)c->ms * US_PER_MS;
	/* Nothing of it will be sent any more, so nothing needs to wait in
	 * memory for ever. */
	if (k->is_silent) {
		exchange_stop_source(x);
		exchange_hush(x);
	}
	if (c->bytes)
		stage_forward(&k->late.stage, head);
	stage_note(&k->late.stage);
	if (!c->bytes && !k->is_silent)
		delayline_add(k->late.line, head, k->until_us);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct stall *k = (struct stall *)st;

	if (it->kind == ITEM_HEAD)
		begin(k, it);
	else if (!k->is_silent)
		delayline_add(k->late.line, it, k->until_us);
}

static const struct stage_ops ops = { on_item, late_stage_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct stall *k = late_stage_new(sizeof *k, &ops);

	(void)s;
	(void)x;
	return &k->late.stage;
}

const struct fault_type fault_header_stall = {
	.name = "header_stall",
	.about = "the answer's head stops in the middle",
	FAULT_CONF,
	.on_head_alone = true,
	.on_answer = on_answer,
};
