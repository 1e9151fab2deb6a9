/*
 * empty_reply{how}: the connection is closed (or reset) without one byte of
 * an answer.
 */
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

enum how { HOW_FIN, HOW_RST, HOW_NHOWS };

static const char *const how_names[] = {
	[HOW_FIN] = "fin",
	[HOW_RST] = "rst",
	[HOW_NHOWS] = NULL,
};

struct conf {
	int how;
};

static const struct jfield fields[] = {
	{ "how", JF_ENUM, 0, 0, 0, offsetof(struct conf, how), how_names },
};

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	if (!shot_fire(s, json_pack("{ss}", "how", how_names[c->how])))
		return FAULT_GO_ON;
	exchange_end(x, c->how == HOW_RST ? ITEM_END_RST : ITEM_END_FIN);
	return FAULT_ANSWERED;
}

const struct fault_type fault_empty_reply = {
	.name = "empty_reply",
	.about = "the connection is closed without a byte",
	.is_piped = true,
	FAULT_CONF,
	.on_request = on_request,
};
