/*
 * http_error{status,retry_after,provider,headers,body}: an error in the
 * upstream's place, with the body that the provider really sends for that
 * status, or a page as a CDN sends it.
 *
 * A provider is a row of the table below: its content type and a function
 * from status to body.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/http1.h"
#include "chaos/faults/headertext.h"
#include "chaos/faults/provider_error.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define BODY_MAX (1u << 20)

struct conf {
	int64_t status;
	int provider;
	const char *retry_after;
	json_t *headers; /* name to text */
	json_t *body;    /* a string as it is, anything else as JSON */
};

struct said { /* what a provider says for a status */
	int status;
	const char *type, *code, *message;
};

/* clang-format off */
static const struct said openai_says[] = {	/* sorted by status */
	{ 400, "invalid_request_error",   NULL,                  "The request could not be understood." },
	{ 401, "invalid_request_error",   "invalid_api_key",     "Incorrect API key provided." },
	{ 403, "invalid_request_error",   "model_not_found",     "You do not have access to this model." },
	{ 404, "invalid_request_error",   "model_not_found",     "The model does not exist or you do not have access to it." },
	{ 429, "tokens",                  "rate_limit_exceeded", "Rate limit reached for requests. Please try again later." },
	{ 500, "server_error",            NULL,                  "The server had an error while processing your request. Sorry about that!" },
	{ 502, "server_error",            NULL,                  "Bad gateway." },
	{ 503, "server_error",            NULL,                  "The engine is currently overloaded, please try again later." },
	{ 504, "server_error",            NULL,                  "The server did not answer in time." },
};

static const struct said deepseek_says[] = {	/* sorted by status */
	{ 400, "invalid_request_error",   "invalid_request_error", "Invalid request body format." },
	{ 401, "authentication_error",    "invalid_request_error", "Authentication Fails, Your api key is invalid" },
	{ 402, "unknown_error",           "invalid_request_error", "Insufficient Balance" },
	{ 422, "invalid_request_error",   "invalid_request_error", "Invalid parameters." },
	{ 429, "rate_limit_error",        "rate_limit_reached",    "Rate Limit Reached" },
	{ 500, "server_error",            NULL,                    "Server Error" },
	{ 503, "service_unavailable_error", "service_unavailable_error", "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers." },
};

static const struct said anthropic_says[] = {	/* sorted by status */
	{ 400, "invalid_request_error",   NULL, "Invalid request" },
	{ 401, "authentication_error",    NULL, "invalid x-api-key" },
	{ 403, "permission_error",        NULL, "Your API key does not have permission to use the specified resource." },
	{ 404, "not_found_error",         NULL, "Not found" },
	{ 413, "request_too_large",       NULL, "Request exceeds the maximum size" },
	{ 429, "rate_limit_error",        NULL, "This request would exceed your account's rate limit. Please try again later." },
	{ 500, "api_error",               NULL, "Internal server error" },
	{ 529, "overloaded_error",        NULL, "Overloaded" },
};

static const struct said google_says[] = {	/* sorted by status */
	{ 400, "INVALID_ARGUMENT",        NULL, "Request contains an invalid argument." },
	{ 401, "UNAUTHENTICATED",         NULL, "Request had invalid authentication credentials." },
	{ 403, "PERMISSION_DENIED",       NULL, "The caller does not have permission" },
	{ 404, "NOT_FOUND",               NULL, "Requested entity was not found." },
	{ 429, "RESOURCE_EXHAUSTED",      NULL, "Resource has been exhausted (e.g. check quota)." },
	{ 500, "INTERNAL",                NULL, "An internal error has occurred." },
	{ 503, "UNAVAILABLE",             NULL, "The model is overloaded. Please try again later." },
	{ 504, "DEADLINE_EXCEEDED",       NULL, "The service is unable to finish processing within the deadline." },
};
/* clang-format on */

static const struct said *
say(const struct said *rows, size_t n, int status)
{
	static const struct said unknown = { 0, "api_error", NULL,
		"The request failed." };

	for (size_t i = 0; i < n; i++)
		if (rows[i].status == status)
			return &rows[i];
	return &unknown;
}

static void
add_json(struct buf *out, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

	if (text)
		buf_adds(out, text);
	free(text);
	json_decref(v);
}

static void
openai_shape(const struct said *s, struct buf *out)
{
	add_json(out,
	    json_pack("{s{ss sn ss ss?}}", "error", "message", s->message,
	        "param", "type", s->type, "code", s->code));
}

static void
google_body(int status, struct buf *out)
{
	const struct said *s = say(google_says, COUNT(google_says), status);

	json_t *error = json_pack("{si ss ss}", "code", status, "message",
	    s->message, "status", s->type);

	/* Its time to wait stands here, and in no header. */
	if (status == 429)
		json_object_set_new(error, "details",
		    json_pack("[{ss ss}]", "@type",
		        "type.googleapis.com/google.rpc.RetryInfo",
		        "retryDelay", "1s"));
	add_json(out, json_pack("{so}", "error", error));
}

static void
ollama_body(int status, struct buf *out)
{
	const struct said *s = say(openai_says, COUNT(openai_says), status);

	add_json(out, json_pack("{ss}", "error", s->message));
}

static void
openai_body(int status, struct buf *out)
{
	openai_shape(say(openai_says, COUNT(openai_says), status), out);
}

static void
deepseek_body(int status, struct buf *out)
{
	openai_shape(say(deepseek_says, COUNT(deepseek_says), status), out);
}

static void
anthropic_body(int status, struct buf *out)
{
	const struct said *s =
	    say(anthropic_says, COUNT(anthropic_says), status);

	add_json(out,
	    json_pack("{ss s{ss ss}}", "type", "error", "error", "type",
	        s->type, "message", s->message));
}

static void
cdn_body(int status, struct buf *out)
{
	const char *reason = http1_reason(status);

	buf_addf(out,
	    "<html>\r\n<head><title>%d %s</title></head>\r\n<body>\r\n"
	    "<center><h1>%d %s</h1></center>\r\n<hr><center>nginx</center>\r\n"
	    "</body>\r\n</html>\r\n",
	    status, reason, status, reason);
}

enum provider {
	ANTHROPIC,
	CDN,
	DEEPSEEK,
	GOOGLE,
	OLLAMA,
	OPENAI,
	NPROVIDERS,
	BY_DIALECT /* as the request speaks */
};

static const char *const provider_names[] = { [ANTHROPIC] = "anthropic",
	[CDN] = "cdn",
	[DEEPSEEK] = "deepseek",
	[GOOGLE] = "google",
	[OLLAMA] = "ollama",
	[OPENAI] = "openai",
	[NPROVIDERS] = NULL };

/* ---- what a 429 says of the limit, beside its body */

static void
openai_limits(struct answer_head *a, unsigned reset_s)
{
	char reset[24];

	snprintf(reset, sizeof reset, "%us", reset_s);
	answer_head_add(a, "x-ratelimit-limit-requests", "500");
	answer_head_add(a, "x-ratelimit-limit-tokens", "200000");
	answer_head_add(a, "x-ratelimit-remaining-requests", "0");
	answer_head_add(a, "x-ratelimit-remaining-tokens", "149984");
	answer_head_add(a, "x-ratelimit-reset-requests", reset);
	answer_head_add(a, "x-ratelimit-reset-tokens", "15.004s");
}

/* Times of day, as this provider has them. */
static void
anthropic_limits(struct answer_head *a, unsigned reset_s)
{
	time_t at = (time_t)(clock_wall_ms() / 1000 + reset_s);
	char reset[32];
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(reset, sizeof reset, "%Y-%m-%dT%H:%M:%SZ", &tm);
	answer_head_add(a, "anthropic-ratelimit-requests-limit", "50");
	answer_head_add(a, "anthropic-ratelimit-requests-remaining", "0");
	answer_head_add(a, "anthropic-ratelimit-requests-reset", reset);
	answer_head_add(a, "anthropic-ratelimit-tokens-limit", "50000");
	answer_head_add(a, "anthropic-ratelimit-tokens-remaining", "42000");
	answer_head_add(a, "anthropic-ratelimit-tokens-reset", reset);
}

static const struct {
	const char *content_type;
	void (*body)(int status, struct buf *out);
	/* NULL: this provider says nothing of it in its head. */
	void (*limits)(struct answer_head *a, unsigned reset_s);
} providers[NPROVIDERS] = {
	[ANTHROPIC] = { "application/json", anthropic_body, anthropic_limits },
	[CDN] = { "text/html", cdn_body, NULL },
	[DEEPSEEK] = { "application/json", deepseek_body, NULL },
	[GOOGLE] = { "application/json", google_body, NULL },
	[OLLAMA] = { "application/json", ollama_body, NULL },
	[OPENAI] = { "application/json", openai_body, openai_limits },
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "body",        JF_ANY,    0,           0,   0,   offsetof(struct conf, body),        NULL },
	{ "headers",     JF_OBJECT, 0,           0,   0,   offsetof(struct conf, headers),     NULL },
	{ "provider",    JF_ENUM,   0,           0,   0,   offsetof(struct conf, provider),    provider_names },
	{ "retry_after", JF_STRING, 0,           0,   0,   offsetof(struct conf, retry_after), NULL },
	{ "status",      JF_INT,    JF_REQUIRED, 400, 599, offsetof(struct conf, status),      NULL },
};
/* clang-format on */

static void
defaults(void *conf)
{
	((struct conf *)conf)->provider = BY_DIALECT;
}

static enum provider
provider_asked(struct exchange *x)
{
	const struct dialect *d = facts_dialect(exchange_facts(x));

	for (int i = 0; d && i < NPROVIDERS; i++)
		if (strcmp(provider_names[i], d->provider) == 0)
			return (enum provider)i;
	return OPENAI;
}

bool
provider_says_429(struct exchange *x, unsigned reset_s, struct buf *out)
{
	enum provider provider = provider_asked(x);

	if (reset_s && providers[provider].limits)
		providers[provider].limits(exchange_answer(x), reset_s);
	if (provider == OPENAI)
		return false;
	providers[provider].body(429, out);
	return true;
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;
	const char *name;
	json_t *v;
	char found[128], at[128];
	enum err e = headertext_check("retry-after", c->retry_after, pointer,
	    "retry_after", why);

	json_object_foreach(c->headers, name, v) {
		snprintf(at, sizeof at, "headers/%.100s", name);
		if (e == ERR_OK && json_is_string(v))
			e = headertext_check(name, json_string_value(v),
			    pointer, at, why);
		if (e != ERR_OK)
			return e;
		if (json_is_string(v))
			continue;
		jfield_describe(v, found, sizeof found);
		return why_set(why, ERR_SYNTAX,
		    "%s/headers/%s: found %s, expected a string", pointer, name,
		    found);
	}
	return e;
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct answer_head *a = exchange_answer(x);
	enum provider provider = c->provider == BY_DIALECT
	    ? provider_asked(x)
	    : (enum provider)c->provider;
	const char *name, *type = providers[provider].content_type;
	struct buf body;
	json_t *v;

	if (!shot_fire(s, json_pack("{sI}", "status", (json_int_t)c->status)))
		return FAULT_GO_ON;
	buf_init(&body, BODY_MAX);
	if (json_is_string(c->body))
		buf_adds(&body, json_string_value(c->body));
	else if (c->body)
		add_json(&body, json_incref(c->body));
	else
		providers[provider].body((int)c->status, &body);
	if (c->retry_after)
		answer_head_add(a, "retry-after", c->retry_after);
	if (c->status == 429 && !c->body && providers[provider].limits)
		providers[provider].limits(a,
		    c->retry_after ? (unsigned)strtoul(c->retry_after, NULL, 10)
		                   : 1);
	json_object_foreach(c->headers, name, v) {
		/* Replaced and not added: two of them are an error of another
		 * kind. */
		if (strcasecmp(name, "content-type") == 0)
			type = json_string_value(v);
		else
			answer_head_add(a, name, json_string_value(v));
	}
	exchange_reply(x, (int)c->status, type,
	    (struct slice){ body.data, body.len });
	buf_done(&body);
	return FAULT_ANSWERED;
}

const struct fault_type fault_http_error = {
	.name = "http_error",
	.about = "an error answer in the upstream's place",
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.schema = "{\"properties\":{\"headers\":"
	          "{\"additionalProperties\":{\"type\":\"string\"}}}}",
	.on_request = on_request,
};
