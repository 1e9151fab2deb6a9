/*
 * reset_peer{timeout}: no answer, and the connection is reset so many
 * milliseconds after the request, which is not forwarded.
 *
 * As a toxic: data is dropped, and the connection is reset so many
 * milliseconds after the toxic began, silent connections included.
 *
 * In the original, and when we are strict, the time begins with the first
 * chunk (so a silent connection stays), and a connection that was open before
 * the toxic gets a FIN.
 */
#include "chaos/rules/fault.h"

#include <stdlib.h>

#include "chaos/http/exchange.h"
#include "chaos/http/toxic_tap.h"
#include "chaos/rules/engine.h"

#define TIMEOUT_MAX_MS 86400000

struct conf {
	int64_t timeout_ms;
};

static const struct jfield fields[] = {
	{ "timeout", JF_INT, 0, 0, TIMEOUT_MAX_MS,
	    offsetof(struct conf, timeout_ms), NULL },
};

/* Without a time the connection is accepted first all the same: a client that
 * is reset while it still connects calls it refused. */
#define ACCEPT_US 5000

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	if (!shot_fire(s,
	        json_pack("{sI}", "timeout", (json_int_t)c->timeout_ms)))
		return FAULT_GO_ON;
	exchange_end_later(x, (uint64_t)c->timeout_ms * US_PER_MS,
	    ITEM_END_RST);
	return FAULT_WAIT;
}

static void
set_deadline(struct tap *t)
{
	const struct conf *c = tap_conf(t);
	uint64_t *heard_us = tap_counter(t, 0);
	uint64_t from = tap_is_strict(t) ? *heard_us : tap_started_us(t);

	if (from)
		tap_set_deadline(t,
		    from +
		        (c->timeout_ms ? (uint64_t)c->timeout_ms * US_PER_MS
		                       : ACCEPT_US));
}

/* The connection is not silent. */
static void
hear(struct tap *t)
{
	uint64_t *heard_us = tap_counter(t, 0);

	if (*heard_us)
		return;
	*heard_us = tap_now_us(t);
	set_deadline(t);
}

static void
drop(struct tap *t, struct chunk *c)
{
	hear(t);
	free(c);
}

static void
on_end(struct tap *t)
{
	hear(t);
	tap_hold_end(t);
}

static void
on_deadline(struct tap *t)
{
	if (tap_is_strict(t) && !tap_is_original(t))
		tap_close(t);
	else
		tap_reset(t);
}

static const struct toxic_ops toxic = {
	.on_start = set_deadline,
	.on_chunk = drop,
	.on_end = on_end,
	.on_deadline = on_deadline,
	.on_change = set_deadline,
};

const struct fault_type fault_reset_peer = {
	.name = "reset_peer",
	.about = "the connection is reset",
	.is_piped = true,
	FAULT_CONF,
	.on_request = on_request,
	.toxic = &toxic,
};
