/*
 * mcp_malformed{kind,method,tool}: the answer to a tool call is not the
 * JSON-RPC it should be, plain or as an event.
 *
 *	bad_schema     a structured result that is not what the tool promised
 *	cut            half of it
 *	no_result      neither result nor error
 *	not_json       a line of text
 *	wrong_id       the id of another call
 *	wrong_version  "jsonrpc": "1.0"
 */
#include "chaos/faults/editstage.h"
#include "chaos/faults/rpc.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/fault.h"

enum kind {
	BAD_SCHEMA,
	CUT,
	NO_RESULT,
	NOT_JSON,
	WRONG_ID,
	WRONG_VERSION,
	NKINDS
};

static const char *const kind_names[] = {
	[BAD_SCHEMA] = "bad_schema",
	[CUT] = "cut",
	[NO_RESULT] = "no_result",
	[NOT_JSON] = "not_json",
	[WRONG_ID] = "wrong_id",
	[WRONG_VERSION] = "wrong_version",
	[NKINDS] = NULL,
};

struct conf {
	struct rpc_match match; /* first: rpc.h */
	int kind;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "kind", JF_ENUM, JF_REQUIRED, 0, 0, offsetof(struct conf, kind), kind_names },
	RPC_METHOD_FIELD,
	RPC_TOOL_FIELD,
};
/* clang-format on */

/* Each appends the answer as it should not be. */
static void
cut(struct slice json, struct buf *out)
{
	buf_add(out, json.p, json.n / 2);
}

static void
no_result(struct slice json, struct buf *out)
{
	struct slice id = edit_raw(json, "/id");

	buf_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":" SLICE_FMT "}",
	    SLICE_ARG(id));
}

static void
not_json(struct slice json, struct buf *out)
{
	(void)json;
	buf_adds(out, "Internal Server Error");
}

static void
set(struct slice json, const char *pointer, const char *value, struct buf *out)
{
	struct splices s = { .n = 0 };

	edit_set(&s, json, pointer, slice_of(value));
	edit_apply(&s, json, out);
}

/* Whatever was promised (an object, MCP has it), its members are gone and
 * another is there. */
static void
bad_schema(struct slice json, struct buf *out)
{
	set(json, "/result/structuredContent", "{\"unexpected\":null}", out);
}

static void
wrong_id(struct slice json, struct buf *out)
{
	set(json, "/id", "987654321", out);
}

static void
wrong_version(struct slice json, struct buf *out)
{
	set(json, "/jsonrpc", "\"1.0\"", out);
}

static void (*const kinds[NKINDS])(struct slice json, struct buf *out) = {
	[BAD_SCHEMA] = bad_schema,
	[CUT] = cut,
	[NO_RESULT] = no_result,
	[NOT_JSON] = not_json,
	[WRONG_ID] = wrong_id,
	[WRONG_VERSION] = wrong_version,
};

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	const struct conf *c = shot_conf(e->shot);

	if (!rpc_is_answer(json) ||
	    (c->kind == BAD_SCHEMA &&
	        edit_raw(json, "/result/structuredContent").n == 0))
		return EDIT_KEEP;
	kinds[c->kind](json, out);
	if (!e->detail)
		e->detail = json_pack("{ss}", "kind", kind_names[c->kind]);
	return EDIT_CHANGE;
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no such JSON-RPC answer that would be another",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return rpc_is_call(s, x) ? editstage_new(s, x, &editor) : NULL;
}

const struct fault_type fault_mcp_malformed = {
	.name = "mcp_malformed",
	.about = "a tool call's answer is not JSON-RPC",
	.is_piped = true,
	FAULT_CONF,
	.on_answer = on_answer,
};
