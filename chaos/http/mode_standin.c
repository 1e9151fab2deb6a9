/*
 * Mode standin: the proxy answers by itself, as a model or as a tool server
 * (standin.h), without a folder of answers.
 */
#include "chaos/http/mode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/slice.h"
#include "chaos/http/standin.h"
#include "chaos/text/completion.h"
#include "chaos/text/speech.h"

#define BODY_MAX    (4u << 20)
#define JSON_TYPE   "application/json"
#define STREAM_TYPE "text/event-stream; charset=utf-8"
#define LINES_TYPE  "application/x-ndjson"
#define ID_BYTES    40

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
send_event(const char *raw, size_t n, void *arg)
{
	exchange_bytes(arg, raw, n);
}

static void
stream_completion(struct exchange *x, const struct dialect *d,
    const struct completion *c)
{
	struct answer_head *a = exchange_answer(x);

	a->status = 200;
	a->is_stream = true;
	a->is_lines = d->is_lines;
	answer_head_add(a, "content-type",
	    d->is_lines ? LINES_TYPE : STREAM_TYPE);
	exchange_head(x);
	if (d->speech)
		d->speech->stream(c,
		    &(struct speech_out){ .on_event = send_event, .arg = x });
	else
		completion_stream(c, send_event, x);
	exchange_end(x, ITEM_END_CLEAN);
}

static void
send_completion(struct exchange *x, const struct completion *c)
{
	const struct dialect *d = facts_dialect(exchange_facts(x));
	struct buf body;
	enum err e;

	if (facts_stream(exchange_facts(x))) {
		stream_completion(x, d, c);
		return;
	}
	buf_init(&body, BODY_MAX);
	e = d->speech ? speech_whole(d->speech, c, &body)
	              : completion_whole(c, &body);
	if (e == ERR_OK)
		exchange_reply(x, 200, JSON_TYPE,
		    (struct slice){ body.data, body.len });
	else
		reply_error(x, 400, "the request asks for what cannot be said");
	buf_done(&body);
}

static void
chat(struct exchange *x)
{
	struct facts *f = exchange_facts(x);
	json_t *request = facts_json(f);
	json_t *options = json_object_get(request, "stream_options");
	char id[ID_BYTES], hex[DIGEST_HEX];
	struct slice asked = facts_asked_model(f);
	char *model = asked.n ? slice_dup(asked) : xstrdup("standin");
	struct standin_reply reply;

	standin_chat(request, &reply);
	digest_sha256_hex(f->key, strlen(f->key), hex);
	snprintf(id, sizeof id, "chatcmpl-%.24s", hex);
	send_completion(x,
	    &(struct completion){ .id = id,
	        .model = model,
	        .content = slice_of(reply.content),
	        .tool = reply.tool,
	        .arguments = reply.arguments,
	        .prompt_bytes = f->body.n,
	        .has_usage =
	            json_is_true(json_object_get(options, "include_usage")) });
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

static void
answer_rpc(struct exchange *x, json_t *request)
{
	json_t *v = standin_rpc(request);

	if (v)
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

	(void)arg;
	if (slice_is(facts_method(f), "POST") && facts_dialect(f)) {
		chat(x);
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
	(void)env;
	(void)why;
	/* It has no state, but NULL would tell proxy_free() that nothing was
	 * opened. */
	*ret = xcalloc(1, 1);
	return ERR_OK;
}

const struct mode mode_standin = {
	.source = { .start = start },
	.open = standin_open,
	.close = free,
};
