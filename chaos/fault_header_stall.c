/*
 * header_stall{ms}: the request is taken and nothing comes back, for so many
 * milliseconds and then as if nothing had been; 0, the default: until the
 * client gives up.
 */
#include "chaos/fault.h"

#include "chaos/engine.h"
#include "chaos/exchange.h"

#define STALL_MAX_MS 86400000
#define US_PER_MS    1000

struct conf {
	int64_t ms;
};

static const struct jfield fields[] = {
	{ "ms", JF_INT, 0, 0, STALL_MAX_MS, offsetof(struct conf, ms), NULL },
};

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	if (!shot_fire(s, json_pack("{sI}", "ms", (json_int_t)c->ms)))
		return FAULT_GO_ON;
	if (c->ms)
		exchange_wait(x, (uint64_t)c->ms * US_PER_MS);
	return FAULT_WAIT;
}

const struct fault_type fault_header_stall = {
	.name = "header_stall",
	.about = "no byte of an answer comes",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_request = on_request,
};
