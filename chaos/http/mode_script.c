/*
 * Mode script: the proxy plays the models, from a folder of answers.
 *
 * Which answer a request gets is scripted_answers.h's to decide; here it is put
 * into the form that was asked for, whole or streamed, as a model's server
 * would send it, so that faults meet what they meet in the world.
 */
#include "chaos/http/mode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/slice.h"
#include "chaos/http/scripted_answers.h"
#include "chaos/rules/request_key.h"
#include "chaos/text/speech_chat.h"

#define CONTENT_MAX ((size_t)2 << 20)
#define JSON_TYPE   "application/json"
#define STREAM_TYPE "text/event-stream; charset=utf-8"
#define ID_BYTES    40

static void
reply_error(struct exchange *x, int status, const char *message,
    const char *type, const char *code)
{
	struct buf body;

	buf_init(&body, CONTENT_MAX);
	completion_error(&body, message, type, code);
	exchange_reply(x, status, JSON_TYPE,
	    (struct slice){ body.data, body.len });
	buf_done(&body);
}

/* "chatcmpl-" and a digest of (scenario, key, attempt). */
static void
make_id(struct exchange *x, char out[ID_BYTES])
{
	struct facts *f = exchange_facts(x);
	char *text = xasprintf("%s|%s|%llu", exchange_env(x)->scenario->hash,
	    identity_key(f), (unsigned long long)f->attempt);
	char hex[DIGEST_HEX];

	digest_sha256_hex(text, strlen(text), hex);
	snprintf(out, ID_BYTES, "chatcmpl-%.24s", hex);
	free(text);
}

static void
send_event(const char *raw, size_t n, void *arg)
{
	exchange_bytes(arg, raw, n);
}

static void
stream_answer(struct exchange *x, const struct completion *c)
{
	struct answer_head *a = exchange_answer(x);

	a->status = 200;
	a->is_stream = true;
	answer_head_add(a, "content-type", STREAM_TYPE);
	answer_head_add(a, "cache-control", "no-cache");
	exchange_head(x);
	completion_stream(c, send_event, x);
	exchange_end(x, ITEM_END_CLEAN);
}

static void
whole_answer(struct exchange *x, const struct completion *c)
{
	struct buf body;

	buf_init(&body, 2 * CONTENT_MAX);
	if (completion_whole(c, &body) == ERR_OK)
		exchange_reply(x, 200, JSON_TYPE,
		    (struct slice){ body.data, body.len });
	else
		reply_error(x, 500, "the scripted answer is not UTF-8",
		    "server_error", NULL);
	buf_done(&body);
}

static bool
wants_usage(struct facts *f)
{
	json_t *options = json_object_get(facts_json(f), "stream_options");

	return json_is_true(json_object_get(options, "include_usage"));
}

static void
chat(struct exchange *x, const struct mode_env *env)
{
	struct facts *f = exchange_facts(x);
	struct scripted_answers_ask ask = { facts_model(f), facts_op(f),
		facts_iteration(f) };
	struct slice asked = facts_asked_model(f);
	struct why why = { "" };
	struct buf content;
	char id[ID_BYTES], *model;
	enum err e;

	buf_init(&content, CONTENT_MAX);
	e = scripted_answers_find(env->conf->answers, &ask, &content, &why);
	if (e == ERR_OK) {
		make_id(x, id);
		model = slice_dup(asked);
		struct completion c = { .id = id,
			.model = model,
			.content = { content.data, content.len },
			.prompt_bytes = f->body.n,
			.has_usage = wants_usage(f) };
		if (facts_stream(f))
			stream_answer(x, &c);
		else
			whole_answer(x, &c);
		free(model);
	} else if (e == ERR_NOTFOUND) {
		reply_error(x, 404, why.text, "invalid_request_error",
		    "model_not_found");
	} else {
		reply_error(x, 500, why.text, "server_error", NULL);
	}
	buf_done(&content);
}

static void
list_models(struct exchange *x, const struct mode_env *env)
{
	struct buf body;
	struct why why = { "" };

	buf_init(&body, CONTENT_MAX);
	if (scripted_answers_models(env->conf->answers, &body, &why) == ERR_OK)
		exchange_reply(x, 200, JSON_TYPE,
		    (struct slice){ body.data, body.len });
	else
		reply_error(x, 500, why.text, "server_error", NULL);
	buf_done(&body);
}

static const struct {
	const char *method, *suffix;
	void (*answer)(struct exchange *x, const struct mode_env *env);
} routes[] = {
	{ "POST", "/chat/completions", chat },
	{ "GET", "/models", list_models },
};

static void *
start(struct exchange *x, void *arg)
{
	struct facts *f = exchange_facts(x);

	for (size_t i = 0; i < COUNT(routes); i++)
		if (slice_is(facts_method(f), routes[i].method) &&
		    slice_ends(facts_path(f), routes[i].suffix)) {
			routes[i].answer(x, arg);
			return NULL;
		}
	reply_error(x, 404, "unknown request URL", "invalid_request_error",
	    NULL);
	return NULL;
}

static enum err
script_open(const struct mode_env *env, void **ret, struct why *why)
{
	/* The folder is not looked at here: answers may be added while the
	 * proxy runs. */
	(void)why;
	*ret = xmemdup(env, sizeof *env);
	return ERR_OK;
}

const struct mode mode_script = {
	.source = { .start = start },
	.open = script_open,
	.close = free,
};
