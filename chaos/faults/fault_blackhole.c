/*
 * blackhole{}: somebody accepts, reads, and says nothing.
 *
 * On a request: it is never forwarded and never answered.  As a toxic: all
 * data of its direction is dropped, the end too, for as long as the toxic is
 * there; then the connection is closed, because what was dropped cannot come
 * back.  A client that ends hears nothing any more, so its end is the
 * connection's (link_flow.c).
 */
#include "chaos/rules/fault.h"

#include <stdlib.h>

#include "chaos/http/exchange.h"
#include "chaos/http/toxic_tap.h"
#include "chaos/rules/engine.h"

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	if (!shot_fire(s, NULL))
		return FAULT_GO_ON;
	exchange_hush(x);
	return FAULT_WAIT;
}

static void
drop(struct tap *t, struct chunk *c)
{
	(void)t;
	free(c);
}

static const struct toxic_ops toxic = {
	.swallows = true,
	.on_chunk = drop,
	.on_end = tap_hold_end,
	.on_stop = tap_close,
};

const struct fault_type fault_blackhole = {
	.name = "blackhole",
	.about = "everything is read and nothing is said",
	.conf_bytes = 1,
	.on_request = on_request,
	.toxic = &toxic,
};
