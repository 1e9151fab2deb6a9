/*
 * latency{latency,jitter}: the request waits, in milliseconds, between
 * latency - jitter and latency + jitter, before it goes on.
 */
#include "chaos/engine.h"
#include "chaos/exchange.h"
#include "chaos/fault.h"

#define WAIT_MAX_MS 3600000
#define US_PER_MS   1000

struct conf {
	int64_t latency_ms, jitter_ms;
};

static const struct jfield fields[] = {
	{ "jitter", JF_INT, 0, 0, WAIT_MAX_MS, offsetof(struct conf, jitter_ms),
	    NULL },
	{ "latency", JF_INT, 0, 0, WAIT_MAX_MS,
	    offsetof(struct conf, latency_ms), NULL },
};

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	int64_t lo = (c->latency_ms - c->jitter_ms) * US_PER_MS;
	int64_t hi = (c->latency_ms + c->jitter_ms) * US_PER_MS;
	uint64_t us =
	    shot_between(s, "delay", lo > 0 ? (uint64_t)lo : 0, (uint64_t)hi);

	if (!shot_fire(s, json_pack("{sI}", "delay_us", (json_int_t)us)))
		return FAULT_GO_ON;
	exchange_wait(x, us);
	return FAULT_WAIT;
}

const struct fault_type fault_latency = {
	.name = "latency",
	.about = "the request waits",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_request = on_request,
};
