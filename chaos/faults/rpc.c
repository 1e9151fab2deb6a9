/*
 * Which request is a call, and what answers it. Batches are left alone: MCP
 * dropped them with its version of 2025-06-18, and a fault aimed at one call of
 * several would have to answer for the others.
 */
#include "chaos/faults/rpc.h"

#include <stdlib.h>

#include "chaos/faults/editstage.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/glob.h"

static bool
holds(const char *glob, json_t *v)
{
	return json_is_string(v) &&
	    glob_match(glob, slice_of(json_string_value(v)));
}

bool
rpc_is_call(struct shot *s, struct exchange *x)
{
	const struct rpc_match *m = shot_conf(s);
	json_t *call = facts_json(exchange_facts(x));
	json_t *params = json_object_get(call, "params");

	if (json_object_get(call, "jsonrpc") && json_object_get(call, "id") &&
	    holds(m->method ? m->method : "tools/call",
	        json_object_get(call, "method")) &&
	    (!m->tool || holds(m->tool, json_object_get(params, "name"))))
		return true;
	shot_bypass(s, "not such a JSON-RPC call");
	return false;
}

void
rpc_answer(struct buf *out, struct facts *f, const char *member, json_t *value)
{
	json_t *answer = json_pack("{ss sO so}", "jsonrpc", "2.0", "id",
	    json_object_get(facts_json(f), "id"), member, value);
	char *text = json_dumps(answer, JSON_COMPACT);

	if (text)
		buf_adds(out, text);
	free(text);
	json_decref(answer);
}

bool
rpc_is_answer(struct slice json)
{
	return edit_raw(json, "/jsonrpc").n > 0 &&
	    (edit_raw(json, "/result").n > 0 || edit_raw(json, "/error").n > 0);
}
