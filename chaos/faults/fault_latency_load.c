/*
 * latency_load{per_request,most}: a server that gets slower the more it has to
 * do: a request waits per_request milliseconds for each one that is under way
 * on its proxy, and most at most.  How many those are hangs on the time, so
 * its events are outside the run hash, and say so.
 */
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define WAIT_MAX_MS 3600000

struct conf {
	int64_t per_request_ms, most_ms;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "most",        JF_INT, 0,           1, WAIT_MAX_MS, offsetof(struct conf, most_ms),        NULL },
	{ "per_request", JF_INT, JF_REQUIRED, 1, WAIT_MAX_MS, offsetof(struct conf, per_request_ms), NULL },
};
/* clang-format on */

static void
defaults(void *conf)
{
	((struct conf *)conf)->most_ms = 60000;
}

static bool
follows_clock(const void *conf)
{
	(void)conf;
	return true;
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	size_t others = exchange_env(x)->active - 1; /* it is one itself */
	uint64_t ms = (uint64_t)others * (uint64_t)c->per_request_ms, us;

	if (others == 0) {
		shot_bypass(s, "nothing else is under way");
		return FAULT_GO_ON;
	}
	if (ms > (uint64_t)c->most_ms)
		ms = (uint64_t)c->most_ms;
	us = ms * US_PER_MS;
	if (!shot_fire(s,
	        json_pack("{sI sI}", "others", (json_int_t)others, "delay_us",
	            (json_int_t)us)))
		return FAULT_GO_ON;
	exchange_wait(x, us);
	return FAULT_WAIT;
}

const struct fault_type fault_latency_load = {
	.name = "latency_load",
	.about = "slower the more requests are under way",
	FAULT_CONF,
	.defaults = defaults,
	.follows_clock = follows_clock,
	.on_request = on_request,
};
