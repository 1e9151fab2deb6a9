/*
 * mcp_timeout{ms,method,tool}: a tool call hangs: it reaches the server ms
 * milliseconds later, or without ms never, and no answer comes.
 */
#include "chaos/faults/rpc.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define WAIT_MAX 3600000

struct conf {
	struct rpc_match match; /* first: rpc.h */
	int64_t ms;             /* 0: for ever */
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	RPC_METHOD_FIELD,
	{ "ms", JF_INT, 0, 0, WAIT_MAX, offsetof(struct conf, ms), NULL },
	RPC_TOOL_FIELD,
};
/* clang-format on */

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	if (!rpc_is_call(s, x) ||
	    !shot_fire(s, json_pack("{sI}", "ms", (json_int_t)c->ms)))
		return FAULT_GO_ON;
	if (c->ms)
		exchange_wait(x, (uint64_t)c->ms * US_PER_MS);
	else
		exchange_hush(x);
	return FAULT_WAIT;
}

const struct fault_type fault_mcp_timeout = {
	.name = "mcp_timeout",
	.about = "a tool call hangs",
	.is_piped = true,
	FAULT_CONF,
	.on_request = on_request,
};
