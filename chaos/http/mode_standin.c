/*
 * Mode standin: the proxy answers by itself, as a model or as a tool server
 * (standin.h), without a folder of answers.
 */
#include "chaos/http/mode.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/slice.h"
#include "chaos/http/completion_answer.h"
#include "chaos/http/standin.h"
#include "chaos/rules/scenario.h"
#include "chaos/text/speech_chat.h"

#define BODY_MAX    (4u << 20)
#define JSON_TYPE   "application/json"
#define STREAM_TYPE "text/event-stream"

static void
reply_json(struct exchange *x, int status, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT);

	exchange_reply(x, status, JSON_TYPE, slice_of(text));
	free(text);
	json_decref(v);
}

static void
reply_error(struct exchange *x, int status, const char *message)
{
	struct buf body;

	buf_init(&body, BODY_MAX);
	completion_error(&body, message, "invalid_request_error", NULL);
	exchange_reply(x, status, JSON_TYPE,
	    (struct slice){ body.data, body.len });
	buf_done(&body);
}

static void
chat(struct exchange *x, const struct proxy_conf *conf)
{
	struct facts *f = exchange_facts(x);
	json_t *request = facts_json(f);
	json_t *options = json_object_get(request, "stream_options");
	char id[COMPLETION_ANSWER_ID_BYTES];
	struct slice asked = facts_asked_model(f);
	char *model = asked.n ? slice_dup(asked) : xstrdup("standin");
	struct standin_reply reply;

	standin_chat(request, conf->tool_calls ? conf->tool_calls : 1, &reply);
	completion_answer_id(x, id);
	if (completion_answer_send(x,
	        &(struct completion){ .id = id,
	            .model = model,
	            .content = slice_of(reply.content),
	            .tool = reply.tool,
	            .arguments = reply.arguments,
	            .call = reply.call,
	            .prompt_bytes = f->body.n,
	            .has_usage = json_is_true(
	                json_object_get(options, "include_usage")) }) != ERR_OK)
		reply_error(x, 400, "the request asks for what cannot be said");
	standin_reply_done(&reply);
	free(model);
}

static void
embed(struct exchange *x)
{
	reply_json(x, 200, standin_embeddings(facts_json(exchange_facts(x))));
}

static void
list_models(struct exchange *x)
{
	/* "created" is a fixed day, 1 January 2026: what the stand-in says
	 * depends on the request alone. */
	reply_json(x, 200,
	    json_pack("{ss s[{ss ss si ss}]}", "object", "list", "data", "id",
	        "standin", "object", "model", "created", 1767225600, "owned_by",
	        "kf-chaos"));
}

static const struct {
	const char *method, *suffix;
	void (*answer)(struct exchange *x);
} routes[] = {
	{ "POST", "/embeddings", embed },
	{ "GET", "/models", list_models },
};

/* Takes v. */
static void
send_message(struct exchange *x, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT);
	char *event = xasprintf("event: message\ndata: %s\n\n", text);

	exchange_bytes(x, event, strlen(event));
	free(event);
	free(text);
	json_decref(v);
}

/* As most servers do where the client takes it: the answer to a call is an
 * event of a stream, behind its progress if that was asked for (MCP, Streamable
 * HTTP). */
static void
stream_answer(struct exchange *x, json_t *request, json_t *v)
{
	json_t *meta =
	    json_object_get(json_object_get(request, "params"), "_meta");
	json_t *token = json_object_get(meta, "progressToken");
	struct answer_head *a = exchange_answer(x);

	a->status = 200;
	a->is_stream = true;
	answer_head_add(a, "content-type", STREAM_TYPE);
	exchange_head(x);
	if (token)
		send_message(x,
		    json_pack("{ss ss s{sO si si}}", "jsonrpc", "2.0", "method",
		        "notifications/progress", "params", "progressToken",
		        token, "progress", 1, "total", 1));
	send_message(x, v);
	exchange_end(x, ITEM_END_CLEAN);
}

static bool
wants_stream(struct facts *f, json_t *request)
{
	const char *method =
	    json_string_value(json_object_get(request, "method"));
	struct slice accept = facts_header(f, "accept");

	return method && strcmp(method, "tools/call") == 0 && accept.n &&
	    memmem(accept.p, accept.n, STREAM_TYPE, strlen(STREAM_TYPE));
}

static void
answer_rpc(struct exchange *x, json_t *request)
{
	json_t *v = standin_rpc(request);

	if (v && wants_stream(exchange_facts(x), request))
		stream_answer(x, request, v);
	else if (v)
		reply_json(x, 200, v);
	else
		/* A notification: MCP's HTTP transport wants 202 and no
		 * body. */
		exchange_reply(x, 202, JSON_TYPE, slice_of(""));
}

static void *
start(struct exchange *x, void *arg)
{
	struct facts *f = exchange_facts(x);
	json_t *request = facts_json(f);

	if (slice_is(facts_method(f), "POST") && facts_dialect(f)) {
		chat(x, arg);
		return NULL;
	}
	for (size_t i = 0; i < COUNT(routes); i++)
		if (slice_is(facts_method(f), routes[i].method) &&
		    slice_ends(facts_path(f), routes[i].suffix)) {
			routes[i].answer(x);
			return NULL;
		}
	if (json_object_get(request, "jsonrpc"))
		answer_rpc(x, request);
	else if (slice_ends(facts_path(f), "/mcp") &&
	    !slice_is(facts_method(f), "POST"))
		/* It has nothing to say unasked, and keeps no session: the
		 * transport wants this status for both (GET, DELETE). */
		reply_error(x, 405, "an MCP server that answers POST alone");
	else
		reply_error(x, 404,
		    "the stand-in answers chat completions, Messages, "
		    "Responses, Gemini, Ollama, embeddings, models and "
		    "JSON-RPC");
	return NULL;
}

static enum err
standin_open(const struct mode_env *env, void **ret, struct why *why)
{
	(void)why;
	*ret = xmemdup(env->conf, sizeof *env->conf);
	return ERR_OK;
}

const struct mode mode_standin = {
	.source = { .start = start },
	.open = standin_open,
	.close = free,
};
