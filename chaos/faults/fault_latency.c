/*
 * latency{latency,jitter}: between latency - jitter and latency + jitter
 * milliseconds.  A request waits so long before it goes on; as a toxic, each
 * chunk leaves so long after it came, in order, and delays do not add up.
 */
#include "chaos/http/exchange.h"
#include "chaos/http/toxic_tap.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define WAIT_MAX_MS 3600000

struct conf {
	int64_t latency_ms, jitter_ms;
};

static const struct jfield fields[] = {
	{ "jitter", JF_INT, 0, 0, WAIT_MAX_MS, offsetof(struct conf, jitter_ms),
	    NULL },
	{ "latency", JF_INT, 0, 0, WAIT_MAX_MS,
	    offsetof(struct conf, latency_ms), NULL },
};

/* The range of the delay, in microseconds. */
static void
range_of(const struct conf *c, uint64_t *lo_us, uint64_t *hi_us)
{
	int64_t lo = (c->latency_ms - c->jitter_ms) * US_PER_MS;

	*lo_us = lo > 0 ? (uint64_t)lo : 0;
	*hi_us = (uint64_t)(c->latency_ms + c->jitter_ms) * US_PER_MS;
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	uint64_t lo, hi, us;

	range_of(shot_conf(s), &lo, &hi);
	us = shot_between(s, "delay", lo, hi);
	if (!shot_fire(s, json_pack("{sI}", "delay_us", (json_int_t)us)))
		return FAULT_GO_ON;
	exchange_wait(x, us);
	return FAULT_WAIT;
}

static void
on_chunk(struct tap *t, struct chunk *c)
{
	uint64_t lo, hi;

	range_of(tap_conf(t), &lo, &hi);
	tap_queue(t, c, tap_now_us(t) + tap_between(t, lo, hi));
}

static const struct toxic_ops toxic = { .on_chunk = on_chunk };

const struct fault_type fault_latency = {
	.name = "latency",
	.about = "the request waits",
	.is_piped = true,
	FAULT_CONF,
	.on_request = on_request,
	.toxic = &toxic,
};
