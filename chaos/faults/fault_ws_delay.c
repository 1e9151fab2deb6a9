/*
 * ws_delay{latency,jitter,from}: every message of one side comes so much later,
 * drawn anew by its number; order is kept, control frames wait behind the
 * messages before them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/faults/delayline.h"
#include "chaos/faults/wsstage.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define WAIT_MAX_MS 3600000

struct conf {
	int64_t latency_ms, jitter_ms;
	int from;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "from",    JF_ENUM, 0,          0, 0,           offsetof(struct conf, from),       wsstage_from_names },
	{ "jitter",  JF_INT, 0,           0, WAIT_MAX_MS, offsetof(struct conf, jitter_ms),  NULL },
	{ "latency", JF_INT, JF_REQUIRED, 0, WAIT_MAX_MS, offsetof(struct conf, latency_ms), NULL },
};
/* clang-format on */

struct slow {
	struct wsstage ws;
	struct delayline *line; /* owned */
	uint64_t wait_us;       /* of the message under way */
	uint64_t last_us;       /* when what came before leaves */
};

static void
on_frame(struct wsstage *w)
{
	struct slow *k = (struct slow *)w;
	struct shot *s = w->stage.shot;
	const struct conf *c = shot_conf(s);
	int64_t lo = c->latency_ms - c->jitter_ms;
	char name[40];

	if (w->is_over || !w->reader.is_first)
		return;
	if (!s->is_reported && !shot_fire(s, NULL)) {
		w->is_over = true;
		k->wait_us = 0;
		return;
	}
	snprintf(name, sizeof name, "message-%llu",
	    (unsigned long long)w->reader.message);
	k->wait_us =
	    shot_between(s, name, (uint64_t)(lo > 0 ? lo : 0) * US_PER_MS,
	        (uint64_t)(c->latency_ms + c->jitter_ms) * US_PER_MS);
}

/* Behind what waits already; an end too. */
static void
put(struct wsstage *w, const struct item *it)
{
	struct slow *k = (struct slow *)w;
	uint64_t due = loop_now_us(exchange_loop(w->stage.exchange));

	stage_note(&w->stage);
	if (it->kind == ITEM_BYTES && !w->is_over &&
	    !(w->reader.opcode & WSFRAME_CLOSE))
		due += k->wait_us;
	if (due < k->last_us)
		due = k->last_us;
	k->last_us = due;
	delayline_add(k->line, it, due);
}

static void
done(struct wsstage *w)
{
	delayline_free(((struct slow *)w)->line);
}

static const struct wsstage_ops ops = {
	.on_frame = on_frame,
	.put = put,
	.free = done,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct slow *k = xcalloc(1, sizeof *k);

	(void)x;
	wsstage_init(&k->ws, &ops, c->from);
	k->line = delayline_new(&k->ws.stage);
	shot_expect(s, "no message came");
	return &k->ws.stage;
}

const struct fault_type fault_ws_delay = {
	.name = "ws_delay",
	.about = "messages of a WebSocket that come later",
	FAULT_CONF,
	.is_websocket = true,
	.on_answer = on_answer,
};
