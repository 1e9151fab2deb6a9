/*
 * ttft{ms,sigma}: the first token comes late.  The head of a stream and its
 * comments pass; the first event, and with it all that follows, comes ms
 * milliseconds later and keeps its cadence.  An answer that is no stream
 * comes later as a whole.
 *
 * With sigma the time is drawn from a log-normal distribution whose median is
 * ms, as time to first token is distributed in the field.
 */
#include <math.h>

#include "chaos/faults/delayline.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"
#include "chaos/rules/lognormal.h"

#define WAIT_MAX  3600000
#define SIGMA_MAX 3

struct conf {
	int64_t ms;
	double sigma;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "ms",    JF_INT,  JF_REQUIRED, 0, WAIT_MAX,  offsetof(struct conf, ms),    NULL },
	{ "sigma", JF_REAL, 0,           0, SIGMA_MAX, offsetof(struct conf, sigma), NULL },
};
/* clang-format on */

struct ttft {
	struct late_stage late;
	uint64_t shift_us;
	bool is_begun;
};

static uint64_t
draw_us(const struct shot *s)
{
	const struct conf *c = shot_conf(s);
	uint64_t median = (uint64_t)c->ms * US_PER_MS;

	if (c->sigma <= 0.0)
		return median;
	return lognormal(median, lround(c->sigma * SIGMA_ONE),
	    shot_between(s, "ttft", 0, UINT64_MAX));
}

static void
begin(struct ttft *k)
{
	uint64_t us = draw_us(k->late.stage.shot);

	k->is_begun = true;
	if (shot_fire(k->late.stage.shot,
	        json_pack("{sI}", "delay_us", (json_int_t)us)))
		k->shift_us = us;
	stage_note(&k->late.stage);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct ttft *k = (struct ttft *)st;
	struct exchange *x = st->exchange;
	bool is_stream = exchange_answer(x)->is_stream;
	bool is_first = is_stream ? it->kind == ITEM_EVENT && it->data.n > 0
	                          : it->kind == ITEM_HEAD;

	if (!k->is_begun && is_first)
		begin(k);
	delayline_add(k->late.line, it,
	    loop_now_us(exchange_loop(x)) + k->shift_us);
}

static const struct stage_ops ops = { on_item, late_stage_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct ttft *k = late_stage_new(sizeof *k, &ops);

	(void)x;
	shot_expect(s, "no event in the stream");
	return &k->late.stage;
}

const struct fault_type fault_ttft = {
	.name = "ttft",
	.about = "the first token comes late",
	FAULT_CONF,
	.on_answer = on_answer,
};
