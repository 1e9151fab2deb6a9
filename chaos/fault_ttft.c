/*
 * ttft{ms}: the head comes at once, the first event so many milliseconds
 * late.
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
	{ "ms", JF_INT, JF_REQUIRED, 1, HOLD_MAX_MS, offsetof(struct conf, ms),
	    NULL },
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct hold_conf conf = { HOLD_EVENT, 0, (uint64_t)c->ms };

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	return hold_new(&conf);
}

const struct fault_type fault_ttft = {
	.name = "ttft",
	.about = "the first event comes late",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
