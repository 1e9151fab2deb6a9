/*
 * mcp_error{form,code,message,method,tool}: a tool call fails in the server's
 * place.
 *
 *	rpc   a JSON-RPC error with code and message
 *	tool  a result that says isError, as a tool that ran and failed
 */
#include "chaos/faults/rpc.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define BODY_MAX     65536
#define CODE_MIN     (-1000000)
#define CODE_MAX     1000000
#define RPC_INTERNAL (-32603)

enum form { FORM_RPC, FORM_TOOL, NFORMS };

static const char *const form_names[] = {
	[FORM_RPC] = "rpc",
	[FORM_TOOL] = "tool",
	[NFORMS] = NULL,
};

struct conf {
	struct rpc_match match; /* first: rpc.h */
	int form;
	int64_t code;
	const char *message;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "code",    JF_INT,    0, CODE_MIN, CODE_MAX, offsetof(struct conf, code),    NULL },
	{ "form",    JF_ENUM,   0, 0,        0,        offsetof(struct conf, form),    form_names },
	{ "message", JF_STRING, 0, 1,        4096,     offsetof(struct conf, message), NULL },
	RPC_METHOD_FIELD,
	RPC_TOOL_FIELD,
};
/* clang-format on */

static void
defaults(void *conf)
{
	struct conf *c = conf;

	c->code = RPC_INTERNAL;
	c->message = "Internal error";
}

static void
answer(struct exchange *x, const struct conf *c)
{
	struct facts *f = exchange_facts(x);
	struct buf body;

	buf_init(&body, BODY_MAX);
	if (c->form == FORM_RPC)
		rpc_answer(&body, f, "error",
		    json_pack("{sI ss}", "code", (json_int_t)c->code, "message",
		        c->message));
	else
		rpc_answer(&body, f, "result",
		    json_pack("{s[{ss ss}] sb}", "content", "type", "text",
		        "text", c->message, "isError", 1));
	exchange_reply(x, 200, "application/json",
	    (struct slice){ body.data, body.len });
	buf_done(&body);
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	if (!rpc_is_call(s, x) ||
	    !shot_fire(s,
	        json_pack("{ss sI}", "form", form_names[c->form], "code",
	            (json_int_t)c->code)))
		return FAULT_GO_ON;
	answer(x, c);
	return FAULT_ANSWERED;
}

const struct fault_type fault_mcp_error = {
	.name = "mcp_error",
	.about = "a tool call fails",
	.is_piped = true,
	FAULT_CONF,
	.defaults = defaults,
	.on_request = on_request,
};
