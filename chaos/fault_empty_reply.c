/*
 * empty_reply{}: the connection is closed after the request, with no byte of
 * an answer.
 */
#include "chaos/fault.h"

#include "chaos/engine.h"
#include "chaos/exchange.h"

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	if (!shot_fire(s, NULL))
		return FAULT_GO_ON;
	exchange_end(x, ITEM_END_FIN);
	return FAULT_ANSWERED;
}

const struct fault_type fault_empty_reply = {
	.name = "empty_reply",
	.about = "the connection is closed without an answer",
	.conf_bytes = 1,
	.on_request = on_request,
};
