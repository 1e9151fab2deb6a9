/*
 * Samples by table of schema types; JSON-RPC by table of methods. A method that
 * is in no row is answered as JSON-RPC 2.0 has it (5.1).
 */
#include "chaos/http/standin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/opts.h"
#include "base/slice.h"
#include "chaos/text/conversation.h"

#define EMBEDDING_SIZE 8
#define INPUTS_MAX     2048
#define PROTOCOL       "2025-06-18"
#define QUOTED_MAX     200 /* bytes of a tool's result */
#define TRIES          2   /* of a call whose tool fails */

#define METHOD_NOT_FOUND (-32601)
#define INVALID_PARAMS   (-32602)

static const char talk[] =
    "Here is what I found. The question has three parts, and each of them "
    "has a plain answer. First, the numbers add up to forty-two. Second, the "
    "order of the steps does not matter. Third, nothing else needs to be "
    "done. That is the whole answer, and it ends with this sentence.";

/* ---- samples */

/* A free text tells the calls apart, where every call leaves something. */
static json_t *
sample_string(json_t *schema, size_t call)
{
	json_t *options = json_object_get(schema, "enum"), *v;
	char *text;

	if (json_array_size(options))
		return json_incref(json_array_get(options, 0));
	if (call == 0)
		return json_string("text");
	text = xasprintf("text %zu", call + 1);
	v = json_string(text);
	free(text);
	return v;
}

static json_t *
sample_integer(json_t *schema, size_t call)
{
	json_t *least = json_object_get(schema, "minimum");

	(void)call;
	/* A whole number may be written as a real one, and be larger than any
	 * integer of ours. */
	if (json_is_real(least))
		return json_real(ceil(json_real_value(least)));
	return json_integer(
	    json_is_integer(least) ? json_integer_value(least) : 1);
}

static json_t *
sample_true(json_t *schema, size_t call)
{
	(void)schema;
	(void)call;
	return json_true();
}

static json_t *
sample_array(json_t *schema, size_t call)
{
	(void)schema;
	(void)call;
	return json_array();
}

static json_t *
sample_object(json_t *schema, size_t call)
{
	(void)schema;
	(void)call;
	return json_object();
}

static const struct {
	const char *type;
	json_t *(*sample)(json_t *schema, size_t call);
} samples[] = {
	{ "string", sample_string }, /* what an unknown type gets */
	{ "array", sample_array },
	{ "boolean", sample_true },
	{ "integer", sample_integer },
	{ "number", sample_integer },
	{ "object", sample_object },
};

static json_t *
sample_value(json_t *schema, size_t call)
{
	const char *type = json_string_value(json_object_get(schema, "type"));

	for (size_t i = 0; type && i < COUNT(samples); i++)
		if (strcasecmp(samples[i].type, type) == 0)
			return samples[i].sample(schema, call);
	return samples[0].sample(schema, call);
}

/* A value that fits a JSON schema, one level deep; owned.  call: how many were
 * made before. */
static json_t *
sample_of(json_t *schema, size_t call)
{
	json_t *properties = json_object_get(schema, "properties"), *v;
	json_t *out = json_object();
	const char *name;

	json_object_foreach(properties, name, v) {
		json_object_set_new(out, name, sample_value(v, call));
	}
	return out;
}

/* ---- the model */

/* Tool i of those that are offered, from the first again behind the last:
 * {name, a schema under one of three keys}. */
static json_t *
offered_tool(json_t *request, size_t i)
{
	json_t *tools = json_object_get(request, "tools"), *inner;
	json_t *declared =
	    json_object_get(json_array_get(tools, 0), "functionDeclarations");

	if (json_array_size(declared))
		tools = declared;
	if (json_array_size(tools) == 0)
		return NULL;
	tools = json_array_get(tools, i % json_array_size(tools));
	inner = json_object_get(tools, "function");
	return inner ? inner : tools;
}

/* A failure is tried once more, a refusal is taken, and a good result leads
 * to the next call, while there are more to make. */
static bool
may_call(const struct conversation *c, size_t calls_max)
{
	if (!c->has_result)
		return true;
	if (c->is_refused)
		return false;
	if (c->failures)
		return c->failures < TRIES;
	return !c->is_hidden && c->done < calls_max;
}

static bool
calls_tool(json_t *request, const struct conversation *c, size_t calls_max,
    struct standin_reply *ret)
{
	static const char *const schemas[] = { "parameters", "input_schema",
		"parametersJsonSchema" };
	json_t *tool = offered_tool(request, c->done), *schema = NULL, *args;
	const char *name = json_string_value(json_object_get(tool, "name"));

	if (!name || !may_call(c, calls_max))
		return false;
	for (size_t i = 0; i < COUNT(schemas) && !schema; i++)
		schema = json_object_get(tool, schemas[i]);
	args = sample_of(schema, c->done);
	ret->tool = xstrdup(name);
	ret->arguments = json_dumps(args, JSON_SORT_KEYS);
	json_decref(args);
	return true;
}

/* What it makes of what the tools said; owned. */
static char *
words_after(const struct conversation *c)
{
	struct slice said = slice_of(c->last);
	const char *words = c->is_refused
	    ? "It may not be done, so I have left it."
	    : c->failures ? "The tool failed, so I cannot tell."
	                  : talk;

	if (!c->has_result || !c->last)
		return xstrdup(words);
	/* No torn UTF-8: the piece ends before a byte that goes on. */
	for (said.n = said.n < QUOTED_MAX ? said.n : QUOTED_MAX;
	     said.n < strlen(c->last) &&
	     ((unsigned char)said.p[said.n] & 0xc0) == 0x80;)
		said.n--;
	return xasprintf("%s The tool said: " SLICE_FMT, words,
	    SLICE_ARG(said));
}

void
standin_chat(json_t *request, size_t calls_max, struct standin_reply *ret)
{
	json_t *format = json_object_get(request, "response_format"), *sample;
	const char *type = json_string_value(json_object_get(format, "type"));
	json_t *schema =
	    json_object_get(json_object_get(format, "json_schema"), "schema");
	struct conversation c;

	conversation_read(request, &c);
	*ret = (struct standin_reply){ .call = c.calls + 1 };
	if (calls_tool(request, &c, calls_max, ret))
		return;
	if (!type || strcmp(type, "text") == 0) {
		ret->content = words_after(&c);
		return;
	}
	sample =
	    schema ? sample_of(schema, 0) : json_pack("{ss}", "answer", talk);
	ret->content = json_dumps(sample, JSON_SORT_KEYS);
	json_decref(sample);
}

void
standin_reply_done(struct standin_reply *r)
{
	if (!r)
		return;
	free(r->content);
	free(r->tool);
	free(r->arguments);
	*r = (struct standin_reply){ .call = 0 };
}

json_t *
standin_embeddings(json_t *request)
{
	json_t *input = json_object_get(request, "input");
	const char *model =
	    json_string_value(json_object_get(request, "model"));
	size_t n = json_is_array(input) ? json_array_size(input) : 1;
	json_t *data = json_array();

	for (size_t i = 0; i < n && i < INPUTS_MAX; i++) {
		json_t *vector = json_array();

		for (size_t k = 0; k < EMBEDDING_SIZE; k++)
			json_array_append_new(vector,
			    json_real((double)((i + k) % EMBEDDING_SIZE) / 8));
		json_array_append_new(data,
		    json_pack("{ss sI so}", "object", "embedding", "index",
		        (json_int_t)i, "embedding", vector));
	}
	return json_pack("{ss so ss s{si si}}", "object", "list", "data", data,
	    "model", model ? model : "standin", "usage", "prompt_tokens", 1,
	    "total_tokens", 1);
}

/* ---- the tool server */

static json_t *
rpc_initialize(json_t *params)
{
	const char *asked =
	    json_string_value(json_object_get(params, "protocolVersion"));

	/* Whichever version was asked for is agreed to: the few methods below
	 * are the same in all of them, and a refusal would end the client's
	 * test before it began. */
	return json_pack("{ss s{s{}} s{ss ss}}", "protocolVersion",
	    asked ? asked : PROTOCOL, "capabilities", "tools", "serverInfo",
	    "name", "standin", "version", opts_version());
}

static json_t *
rpc_nothing(json_t *params)
{
	(void)params;
	return json_object();
}

static json_t *
rpc_tools(json_t *params)
{
	static const char tool[] =
	    "{\"name\":\"note\",\"description\":\"Takes a note, once for "
	    "each call.\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
	    "{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]},"
	    "\"outputSchema\":{\"type\":\"object\",\"properties\":{"
	    "\"taken\":{\"type\":\"boolean\"},\"characters\":{\"type\":"
	    "\"integer\"}},\"required\":[\"taken\",\"characters\"]}}";

	(void)params;
	return json_pack("{s[o]}", "tools", json_loads(tool, 0, NULL));
}

/* Its number can be changed on the way, and its structure be found wrong. */
static json_t *
rpc_call(json_t *params)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	json_t *text =
	    json_object_get(json_object_get(params, "arguments"), "text");
	json_int_t n = (json_int_t)json_string_length(text);
	char *said;
	json_t *v;

	if (!name || strcmp(name, "note") != 0)
		return NULL;
	said = xasprintf("The note was taken: %lld characters.", (long long)n);
	v = json_pack("{s[{ss ss}] s{sb sI} sb}", "content", "type", "text",
	    "text", said, "structuredContent", "taken", 1, "characters", n,
	    "isError", 0);
	free(said);
	return v;
}

static const struct {
	const char *method;
	json_t *(*answer)(json_t *params); /* NULL result: bad params */
} methods[] = {
	{ "initialize", rpc_initialize }, /* sorted by method */
	{ "ping", rpc_nothing },
	{ "tools/call", rpc_call },
	{ "tools/list", rpc_tools },
};

static json_t *
rpc_error(json_t *id, int code, const char *message)
{
	return json_pack("{ss sO s{si ss}}", "jsonrpc", "2.0", "id", id,
	    "error", "code", code, "message", message);
}

json_t *
standin_rpc(json_t *request)
{
	json_t *id = json_object_get(request, "id"), *result;
	const char *method =
	    json_string_value(json_object_get(request, "method"));

	/* A request without an id is a notification, and must not be answered
	 * (JSON-RPC 2.0, 4.1). */
	if (!id)
		return NULL;
	for (size_t i = 0; method && i < COUNT(methods); i++) {
		if (strcmp(methods[i].method, method) != 0)
			continue;
		result = methods[i].answer(json_object_get(request, "params"));
		return result ? json_pack("{ss sO so}", "jsonrpc", "2.0", "id",
		                    id, "result", result)
		              : rpc_error(id, INVALID_PARAMS, "Unknown tool");
	}
	return rpc_error(id, METHOD_NOT_FOUND, "Method not found");
}
