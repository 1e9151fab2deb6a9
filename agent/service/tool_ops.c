/* list_ops and get_contract: what everybody is told before a kernel exists. */
#include "agent/model/prompt.h"
#include "agent/service/tools.h"
#include "lab/read/prelude.h"
#include "ops/op.h"
#include <stdlib.h>

const char tool_list_ops_output[] =
    "{\"type\":\"object\",\"properties\":{\"ops\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"category\":{\"type\":\"string\"},"
    "\"formula\":{\"type\":\"string\"},"
    "\"arguments\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"hidden_cases\":{\"type\":\"integer\"}},"
    "\"required\":[\"name\",\"category\",\"formula\",\"arguments\","
    "\"hidden_cases\"]}}},\"required\":[\"ops\"]}";

const char tool_get_contract_output[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"op\":{\"type\":\"string\"},\"contract\":{\"type\":\"string\"},"
    "\"operator\":{\"type\":\"string\"},\"prelude\":{\"type\":\"string\","
    "\"description\":\"what stands before the source, for float32\"}},"
    "\"required\":[\"op\",\"contract\",\"operator\",\"prelude\"]}";

static json_t *
op_json(const struct op *op)
{
	json_t *args = json_array();

	for (size_t i = 0; i < op->nargs; i++)
		json_array_append_new(args, json_string(op->args[i].name));
	return json_pack("{s:s, s:s, s:s, s:o, s:I}", "name", op->name,
	    "category", op->category, "formula", op->formula, "arguments", args,
	    "hidden_cases", (json_int_t)op->nholdouts);
}

json_t *
tool_list_ops(const struct mcp_tool_ground *g, const struct mcp_tool_args *a,
    json_t *json, struct why *why)
{
	json_t *ops = json_array();

	(void)g, (void)a, (void)json, (void)why;
	for (size_t i = 0; i < op_count(); i++)
		json_array_append_new(ops, op_json(op_at(i)));
	return json_pack("{s:o}", "ops", ops);
}

json_t *
tool_get_contract(const struct mcp_tool_ground *g,
    const struct mcp_tool_args *a, json_t *json, struct why *why)
{
	const struct op *op = op_find(a->op);
	char *text = prompt_operator_text(op);
	json_t *o;

	(void)g, (void)json, (void)why;
	o = json_pack("{s:s, s:s, s:s, s:s}", "op", op->name, "contract",
	    prompt_contract_text(), "operator", text, "prelude",
	    prelude_text(DTYPE_F32));
	free(text);
	return o;
}
