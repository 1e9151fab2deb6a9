/*
 * refuse{}: nobody is there.
 *
 * On a request: the connection is reset, with no byte of an answer.  As a
 * toxic that touches all: the proxy's port is closed (ECONNREFUSED), see
 * tcpproxy.c; one that touches a share resets those connections right after
 * they are accepted.  Connections from before the toxic stay.
 */
#include "chaos/rules/fault.h"

#include "chaos/http/exchange.h"
#include "chaos/http/toxic_tap.h"
#include "chaos/rules/engine.h"

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	if (!shot_fire(s, NULL))
		return FAULT_GO_ON;
	exchange_end(x, ITEM_END_RST);
	return FAULT_ANSWERED;
}

static void
on_start(struct tap *t)
{
	if (tap_is_original(t))
		tap_reset(t);
}

static const struct toxic_ops toxic = { .on_start = on_start };

const struct fault_type fault_refuse = {
	.name = "refuse",
	.about = "the connection is refused",
	.conf_bytes = 1,
	.on_request = on_request,
	.toxic = &toxic,
};
