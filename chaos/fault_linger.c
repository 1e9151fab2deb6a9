/*
 * linger{ms}: all data and [DONE] come, then the connection stays open and
 * the chunked terminator is held; 0, the default: until the client gives up.
 */
#include "chaos/fault.h"

#include "chaos/engine.h"
#include "chaos/exchange.h"
#include "chaos/hold.h"

#define HOLD_MAX_MS 86400000

struct conf {
	int64_t ms;
};

static const struct jfield fields[] = {
	{ "ms", JF_INT, 0, 0, HOLD_MAX_MS, offsetof(struct conf, ms), NULL },
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct hold_conf conf = { HOLD_END, 0, (uint64_t)c->ms };

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	return hold_new(&conf);
}

const struct fault_type fault_linger = {
	.name = "linger",
	.about = "the connection outlives its answer",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
