/*
 * stall{after_events,ms}: an event stream falls silent after so many events,
 * for so many milliseconds; 0, the default: until the client gives up.
 */
#include "chaos/fault.h"

#include "chaos/engine.h"
#include "chaos/exchange.h"
#include "chaos/hold.h"

#define HOLD_MAX_MS 86400000
#define EVENTS_MAX  1000000

struct conf {
	int64_t after_events, ms;
};

static const struct jfield fields[] = {
	{ "after_events", JF_INT, JF_REQUIRED, 0, EVENTS_MAX,
	    offsetof(struct conf, after_events), NULL },
	{ "ms", JF_INT, 0, 0, HOLD_MAX_MS, offsetof(struct conf, ms), NULL },
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct hold_conf conf = { HOLD_EVENT, (uint64_t)c->after_events,
		(uint64_t)c->ms };

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	return hold_new(&conf);
}

const struct fault_type fault_stall = {
	.name = "stall",
	.about = "an event stream falls silent",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
