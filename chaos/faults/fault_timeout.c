/*
 * timeout{timeout}: no answer, and the connection is closed so many
 * milliseconds after the request; 0: never.  It is not forwarded.
 *
 * As a toxic: all data is dropped, and the connection is closed so many
 * milliseconds after the toxic began; 0: never.  Removing the toxic closes
 * the connection too, because what was dropped cannot come back.  In the
 * original, and when we are strict, the time begins again with each chunk.
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

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	if (!shot_fire(s,
	        json_pack("{sI}", "timeout", (json_int_t)c->timeout_ms)))
		return FAULT_GO_ON;
	if (c->timeout_ms)
		exchange_end_later(x, (uint64_t)c->timeout_ms * US_PER_MS,
		    ITEM_END_FIN);
	else
		exchange_hush(x);
	return FAULT_WAIT;
}

static void
set_deadline_from(struct tap *t, uint64_t from_us)
{
	const struct conf *c = tap_conf(t);

	tap_set_deadline(t,
	    c->timeout_ms ? from_us + (uint64_t)c->timeout_ms * US_PER_MS : 0);
}

static void
set_deadline(struct tap *t)
{
	set_deadline_from(t, tap_started_us(t));
}

static void
drop(struct tap *t, struct chunk *c)
{
	if (tap_is_strict(t))
		set_deadline_from(t, tap_now_us(t));
	free(c);
}

static const struct toxic_ops toxic = {
	.on_start = set_deadline,
	.on_chunk = drop,
	.on_deadline = tap_close,
	.on_change = set_deadline,
	.on_stop = tap_close,
};

const struct fault_type fault_timeout = {
	.name = "timeout",
	.about = "data is dropped, then the connection is closed",
	.is_piped = true,
	FAULT_CONF,
	.on_request = on_request,
	.toxic = &toxic,
};
