/* The table of tools, and what is the same for all of them. */
#include "agent/service/tools.h"

#include "agent/text/utf8.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "cltext/candidate.h"
#include "ops/op.h"
#include <stdlib.h>
#include <string.h>

#define AT(m) offsetof(struct mcp_tool_args, m)

/* clang-format off */
#define ARG_OP     { { "op",	      JF_STRING, JF_REQUIRED, 0, 0, AT(op),	     NULL }, "the operator, one of list_ops" }
#define ARG_SOURCE { { "source",      JF_STRING, JF_REQUIRED, 0, 0, AT(source),	     NULL }, "OpenCL C 1.2, at most 65536 bytes, as get_contract says" }
#define ARG_ENTRY  { { "entry",	      JF_STRING, 0,	      0, 0, AT(entry),	     NULL }, "the __kernel to launch; left out together with both sizes where the source opens with \"// entry:\", \"// global:\", \"// local:\"" }
#define ARG_GLOBAL { { "global_size", JF_ARRAY,	 0,	      1, 3, AT(global_size), NULL }, "work items a dimension, expressions over the operator's scalars" }
#define ARG_LOCAL  { { "local_size",  JF_ARRAY,	 0,	      1, 3, AT(local_size),  NULL }, "work-group size a dimension" }

static const struct mcp_tool_arg contract_args[] = { ARG_OP };
static const struct mcp_tool_arg compile_args[] = { ARG_OP, ARG_SOURCE, ARG_ENTRY, ARG_GLOBAL, ARG_LOCAL };
static const struct mcp_tool_arg verify_args[] = {
	ARG_OP, ARG_SOURCE, ARG_ENTRY, ARG_GLOBAL, ARG_LOCAL,
	{ { "seed",  JF_STRING, 0, 0, 0, AT(seed),  NULL }, "64 hexadecimal digits: judge by this seed instead of a fresh secret one; the result says so" },
	{ { "nonce", JF_STRING, 0, 0, 0, AT(nonce), NULL }, "64 hexadecimal digits that go with seed into seed_commit" },
};
static const struct mcp_tool_arg bench_args[] = {
	ARG_OP,
	{ { "source", JF_STRING, 0, 0, 0, AT(source), NULL }, "OpenCL C 1.2 (default: the operator's plain kernel, which shows the machine's noise)" },
	ARG_ENTRY, ARG_GLOBAL, ARG_LOCAL,
	{ { "size",  JF_STRING, 0, 0, 0, AT(size),  NULL }, "one size only, such as rows=512,cols=1024 (default: four, one of them drawn)" },
};
static const struct mcp_tool_arg ledger_args[] = {
	{ { "run",   JF_STRING, 0, 0, 0, AT(run),   NULL }, "the name of a run (default: list the runs)" },
};

static const struct mcp_tool tools[] = {
	{ "list_ops", "List operators", "Lists the operators that the kernel lab can judge: arguments, formula, how many hidden cases.",
	  NULL, 0, tool_list_ops_output, false, false, tool_list_ops },
	{ "get_contract", "Read the kernel contract", "What a kernel for one operator must be: signature, storage types, launch sizes, what is refused. Read it before writing a kernel.",
	  contract_args, COUNT(contract_args), tool_get_contract_output, false, false, tool_get_contract },
	{ "compile_kernel", "Compile a kernel", "Checks a kernel's text and compiles it for every storage type in a sandbox. Says nothing about its results.",
	  compile_args, COUNT(compile_args), tool_verdict_output, true, false, tool_compile },
	{ "verify_kernel", "Verify a kernel", "Judges a kernel on hidden cases. Only the verdict verified_correct means that it is right; everything else means that it is not proved. It is no formal proof, and it holds for this device and compiler: a mistake that shows for one value in 2^32 can pass. Takes seconds.",
	  verify_args, COUNT(verify_args), tool_verdict_output, true, false, tool_verify },
	{ "bench_kernel", "Time a kernel", "Verifies a kernel and then times it against the operator's plain kernel and the machine's limits. Takes up to a minute.",
	  bench_args, COUNT(bench_args), tool_bench_output, true, true, tool_bench },
	{ "get_ledger", "Read a run's ledger", "What a finished run of the agent proved: a state for each operator, read from its hash-chained ledger.",
	  ledger_args, COUNT(ledger_args), tool_get_ledger_output, true, false, tool_get_ledger },
};
/* clang-format on */

size_t
mcp_tool_count(void)
{
	return COUNT(tools);
}

const struct mcp_tool *
mcp_tool_at(size_t i)
{
	return &tools[i];
}

const struct mcp_tool *
mcp_tool_find(const char *name)
{
	for (size_t i = 0; i < COUNT(tools); i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

/* Behind a NUL nothing would be read. */
static enum err
refuse_nul(json_t *arguments, struct why *why)
{
	const char *key;
	json_t *v;

	json_object_foreach(arguments, key, v) {
		if (json_is_string(v) &&
		    strlen(json_string_value(v)) != json_string_length(v))
			return why_set(why, ERR_SYNTAX,
			    "/%.60s: a NUL at byte %zu: expected text", key,
			    strlen(json_string_value(v)));
	}
	return ERR_OK;
}

enum err
mcp_tool_read_args(const struct mcp_tool *t, json_t *arguments,
    struct mcp_tool_args *ret, struct why *why)
{
	struct jfield fields[MCP_TOOL_ARGS_MAX] = { 0 };
	json_t *none = arguments ? NULL : json_object();
	enum err e;

	for (size_t i = 0; i < t->nargs; i++)
		fields[i] = t->args[i].field;
	*ret = (struct mcp_tool_args){ 0 };
	e = refuse_nul(arguments, why);
	if (e == ERR_OK)
		e = jfield_read(arguments ? arguments : none, "", fields,
		    t->nargs, ret, why);
	json_decref(none);
	if (e == ERR_OK && ret->op && !op_find(ret->op))
		e = why_set(why, ERR_SYNTAX,
		    "/op: found \"%.60s\", expected an operator of list_ops",
		    ret->op);
	return e == ERR_OK ? e : why_prefix(why, e, "%s", t->name);
}

static json_t *
op_names(void)
{
	json_t *names = json_array();

	for (size_t i = 0; i < op_count(); i++)
		json_array_append_new(names, json_string(op_at(i)->name));
	return names;
}

/* The schema of one argument: what its row checks, and what the tool checks
 * behind it. */
static json_t *
arg_schema(const struct mcp_tool_arg *a)
{
	json_t *o = json_pack("{s:s}", "description", a->about);
	size_t at = a->field.offset;

	json_object_set_new(o, "type",
	    json_string(a->field.type == JF_ARRAY ? "array" : "string"));
	if (a->field.type == JF_ARRAY) {
		json_object_set_new(o, "items",
		    json_pack("{s:[s, s]}", "type", "string", "integer"));
		json_object_set_new(o, "minItems", json_integer(1));
		json_object_set_new(o, "maxItems",
		    json_integer(CANDIDATE_DIMS_MAX));
	} else if (at == AT(op)) {
		json_object_set_new(o, "enum", op_names());
	} else if (at == AT(seed) || at == AT(nonce)) {
		json_object_set_new(o, "pattern",
		    json_string("^[0-9a-fA-F]{64}$"));
	} else if (at == AT(source)) {
		json_object_set_new(o, "maxLength",
		    json_integer(CANDIDATE_SOURCE_MAX));
	}
	return o;
}

static json_t *
input_schema(const struct mcp_tool *t)
{
	json_t *properties = json_object(), *required = json_array(), *o;

	for (size_t i = 0; i < t->nargs; i++) {
		const struct mcp_tool_arg *a = &t->args[i];

		json_object_set_new(properties, a->field.key, arg_schema(a));
		if (a->field.flags & JF_REQUIRED)
			json_array_append_new(required,
			    json_string(a->field.key));
	}
	o = json_pack("{s:s, s:o, s:b}", "type", "object", "properties",
	    properties, "additionalProperties", 0);
	if (json_array_size(required) > 0)
		json_object_set(o, "required", required);
	json_decref(required);
	return o;
}

json_t *
mcp_tool_json(const struct mcp_tool *t)
{
	json_error_t je;
	json_t *output = json_loads(t->output, JSON_REJECT_DUPLICATES, &je);

	if (!output)
		fatalx("%s: output schema: %s", t->name, je.text);
	/* Nothing is changed by any of them, and nothing beyond this machine is
	 * asked. */
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:b, s:b, s:b}}", "name",
	    t->name, "title", t->title, "description", t->about, "inputSchema",
	    input_schema(t), "outputSchema", output, "annotations",
	    "readOnlyHint", 1, "destructiveHint", 0, "openWorldHint", 0);
}

json_t *
mcp_tool_error(const char *text)
{
	json_t *words = utf8_json(text);

	mask_json(words);
	return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text",
	    "text", words, "isError", 1);
}

/* The same twice: for clients that show text, and for those that check. */
static json_t *
success(json_t *value)
{
	json_t *o;
	char *text;

	mask_json(value);
	text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
	o = json_pack("{s:[{s:s, s:s}], s:o, s:b}", "content", "type", "text",
	    "text", text, "structuredContent", value, "isError", 0);
	free(text);
	return o;
}

json_t *
mcp_tool_call(const struct mcp_tool *t, const struct mcp_tool_ground *g,
    json_t *arguments)
{
	struct mcp_tool_args args;
	struct why why;
	json_t *value;

	if (mcp_tool_read_args(t, arguments, &args, &why) != ERR_OK)
		return mcp_tool_error(why.text);
	value = t->run(g, &args, arguments, &why);
	return value ? success(value) : mcp_tool_error(why.text);
}
