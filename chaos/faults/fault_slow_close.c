/*
 * slow_close{delay}: the end of the stream is held, in milliseconds.  An
 * answer leaves whole, and its connection is closed so much later.
 */
#include "chaos/rules/fault.h"

#include "chaos/http/toxic_tap.h"

#define DELAY_MAX_MS 86400000

struct conf {
	int64_t delay_ms;
};

static const struct jfield fields[] = {
	{ "delay", JF_INT, 0, 0, DELAY_MAX_MS, offsetof(struct conf, delay_ms),
	    NULL },
};

static void
on_end(struct tap *t)
{
	const struct conf *c = tap_conf(t);

	tap_queue_end(t,
	    tap_strike(t) ? tap_now_us(t) + (uint64_t)c->delay_ms * US_PER_MS
	                  : 0);
}

static const struct toxic_ops toxic = { .strikes_late = true,
	.ends_connection = true,
	.on_end = on_end };

const struct fault_type fault_slow_close = {
	.name = "slow_close",
	.about = "the end of the stream is held",
	FAULT_CONF,
	.toxic = &toxic,
};
