/*
 * One POST, and whether its answer can be believed.
 *
 * How long a call takes says nothing: a lab on a busy machine works for minutes
 * and says so every few seconds, since it is asked to (a progress token), in a
 * stream whose last event is the answer.  So the deadline is one of silence.
 */
#include "agent/mcp/client.h"

#include "agent/mcp/protocol_version.h"
#include "agent/text/claim_filter.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/sse.h"
#include "base/stop.h"
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS          "text/event-stream"
#define ANSWER_MAX      ((size_t)4 * 1024 * 1024)
#define REASON_MAX      200
#define STATUS_OK       200
#define STATUS_LAST     499
#define STATUS_NO_TOKEN 401
/* Who never ends but always speaks is given up, too. */
#define SILENCES_MAX 20

struct mcp_client {
	CURL *curl; /* owned, as all here */
	char *url, *bearer;
	json_t *server; /* what the last result said of its server */
	uint32_t silence_ms;
};

struct mcp_client *
mcp_client_new(const char *url, const char *token, uint32_t silence_ms)
{
	struct mcp_client *c = xcalloc(1, sizeof *c);

	c->curl = curl_easy_init();
	c->url = xstrdup(url);
	c->bearer = token ? xasprintf("Authorization: Bearer %s", token) : NULL;
	c->silence_ms = silence_ms;
	return c;
}

void
mcp_client_free(struct mcp_client *c)
{
	if (!c)
		return;
	curl_easy_cleanup(c->curl);
	free(c->url);
	free(c->bearer);
	json_decref(c->server);
	free(c);
}

/* The request without its id: a question asked again is the same bytes. */
static json_t *
request_of(const struct mcp_question *q)
{
	return json_pack("{s:s, s:s, s:{s:s, s:O, s:{s:s, s:s, s:{}, s:{s:s, "
	                 "s:s}}}}",
	    "jsonrpc", "2.0", "method", "tools/call", "params", "name", q->tool,
	    "arguments", q->arguments, "_meta", "progressToken", q->session,
	    MCP_META_VERSION, MCP_MODERN_VERSION, MCP_META_CAPABILITIES,
	    "io.modelcontextprotocol/clientInfo", "name", "kernelforge",
	    "version", opts_version());
}

static json_t *
with_id(json_t *request)
{
	char *text = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS);
	char hex[DIGEST_HEX];

	digest_sha256_hex(text, strlen(text), hex);
	json_object_set_new(request, "id", json_string(hex));
	free(text);
	return request;
}

/* What comes back to one POST. */
struct reply {
	struct buf body;
	long status;
	bool is_stream; /* of events, by its content type */
	uint32_t silence_ms;
	uint64_t heard_ms; /* when the last byte came */
	bool fell_silent;
};

static size_t
on_body(char *p, size_t size, size_t count, void *arg)
{
	struct reply *r = arg;

	r->heard_ms = clock_mono_ms();
	/* Less than all taken: curl gives up. */
	return buf_add(&r->body, p, size * count) == ERR_OK ? size * count : 0;
}

/* About once a second. */
static int
on_clock(void *arg, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
    curl_off_t up)
{
	struct reply *r = arg;

	(void)down_total, (void)down, (void)up_total, (void)up;
	r->fell_silent = clock_mono_ms() - r->heard_ms > r->silence_ms;
	/* Anything but 0 ends the transfer. */
	return r->fell_silent || stop_asked() != NULL;
}

static const char accepted[] = "Accept: application/json, " EVENTS;
static const char version_header[] =
    "MCP-Protocol-Version: " MCP_MODERN_VERSION;

static struct curl_slist *
headers_of(const struct mcp_client *c, const struct mcp_question *q)
{
	char *name = xasprintf("Mcp-Name: %s", q->tool);
	char *session = xasprintf("x-session-id: %s", q->session);
	const char *const lines[] = {
		"Content-Type: application/json",
		accepted,
		version_header,
		"Mcp-Method: tools/call",
		/* Empty: curl would ask first whether so large a body is
		 * wanted, and wait. */
		"Expect:",
		name,
		session,
		c->bearer,
	};
	struct curl_slist *list = NULL;

	for (size_t i = 0; i < COUNT(lines); i++)
		if (lines[i])
			list = curl_slist_append(list, lines[i]);
	free(name);
	free(session);
	return list;
}

static void
set_options(struct mcp_client *c, struct curl_slist *headers, const char *text,
    struct reply *r)
{
	curl_easy_reset(c->curl);
	curl_easy_setopt(c->curl, CURLOPT_URL, c->url);
	/* "" is no proxy, also where the environment names one: it would be
	 * one more who can change a verdict. */
	curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, text);
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c->curl, CURLOPT_XFERINFOFUNCTION, on_clock);
	curl_easy_setopt(c->curl, CURLOPT_XFERINFODATA, r);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, r);
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS,
	    (long)c->silence_ms * SILENCES_MAX);
}

/* The body of an answer, whatever its status; ERR_TIMEOUT, ERR_IO, ERR_CLOSED.
 */
static enum err
post(struct mcp_client *c, const struct mcp_question *q, const char *text,
    struct reply *r, struct why *why)
{
	struct curl_slist *headers = headers_of(c, q);
	const char *type = NULL;
	long status = 0;
	CURLcode code;

	r->silence_ms = c->silence_ms;
	r->heard_ms = clock_mono_ms();
	set_options(c, headers, text, r);
	code = curl_easy_perform(c->curl);
	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(c->curl, CURLINFO_CONTENT_TYPE, &type);
	r->is_stream = type && strncmp(type, EVENTS, sizeof EVENTS - 1) == 0;
	curl_slist_free_all(headers);
	if (stop_asked())
		return why_set(why, ERR_CLOSED, "stopped by %s", stop_asked());
	if (r->fell_silent)
		return why_set(why, ERR_TIMEOUT, "not a word within %u ms",
		    c->silence_ms);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return why_set(why, ERR_TIMEOUT, "no answer within %u ms",
		    c->silence_ms * SILENCES_MAX);
	if (code == CURLE_WRITE_ERROR)
		return why_set(why, ERR_TOOBIG, "more than %zu bytes of answer",
		    ANSWER_MAX);
	if (code != CURLE_OK)
		return why_set(why, ERR_IO, "%s", curl_easy_strerror(code));
	r->status = status;
	if (status < STATUS_OK || status > STATUS_LAST)
		return why_set(why, ERR_IO, "HTTP status %ld", status);
	return ERR_OK;
}

/* What the other side says of its failure, fit to be shown. */
static enum err
denied(json_t *message, struct why *why)
{
	const char *text = json_string_value(message);
	char said[REASON_MAX], *quoted;
	enum err e;

	mask_format(said, sizeof said, "%s", text ? text : "");
	quoted = claim_quote(said, sizeof said);
	e = why_set(why, ERR_DENIED, "the tool failed, in its words: %s",
	    quoted);
	free(quoted);
	return e;
}

static enum err
check_result(json_t *result, json_t **ret, struct why *why)
{
	json_t *value = json_object_get(result, "structuredContent");
	json_t *type = json_object_get(result, "resultType");
	json_t *part = json_array_get(json_object_get(result, "content"), 0);
	json_t *text = json_object_get(part, "text"), *said;
	bool agree;

	if (json_is_true(json_object_get(result, "isError")))
		return denied(text, why);
	if (type &&
	    (!json_is_string(type) ||
	        strcmp(json_string_value(type), "complete") != 0))
		return why_set(why, ERR_SYNTAX, "not a complete result");
	if (!json_is_object(value) || !json_is_string(text))
		return why_set(why, ERR_SYNTAX,
		    "expected structured content and its text");
	/* The value comes twice; who changes an answer on its way seldom
	 * changes both alike. */
	said = json_loadb(json_string_value(text), json_string_length(text),
	    JSON_REJECT_DUPLICATES, NULL);
	agree = said && json_equal(said, value);
	json_decref(said);
	if (!agree)
		return why_set(why, ERR_SYNTAX,
		    "the text of the result and its structured content do not "
		    "say the same: one of them was changed");
	*ret = json_incref(value);
	return ERR_OK;
}

static void
keep_server(struct mcp_client *c, json_t *result)
{
	json_decref(c->server);
	c->server = json_incref(
	    json_object_get(json_object_get(result, "_meta"), MCP_META_SERVER));
}

/* What is left of a stream when its notifications are passed over; a second
 * answer is one too many. */
static bool
on_event(const struct sse_item *item, void *arg)
{
	json_t **answer = arg, *o;

	if (item->kind != SSE_EVENT)
		return true;
	o = json_loadb(item->data.p, item->data.n, JSON_REJECT_DUPLICATES,
	    NULL);
	if (json_object_get(o, "method")) {
		json_decref(o);
		return true;
	}
	if (*answer || !o) {
		json_decref(o);
		json_decref(*answer);
		*answer = NULL;
		return false;
	}
	*answer = o;
	return true;
}

/* The message that the body holds; NULL: none, or more.  Owned. */
static json_t *
message_of(const struct reply *r)
{
	const char *text = r->body.data ? r->body.data : "";
	struct sse_parser *p;
	json_t *answer = NULL;

	if (!r->is_stream)
		return json_loadb(text, r->body.len, JSON_REJECT_DUPLICATES,
		    NULL);
	p = sse_parser_new(ANSWER_MAX);
	if (sse_feed(p, text, r->body.len, on_event, &answer) != ERR_OK) {
		json_decref(answer);
		answer = NULL;
	}
	sse_parser_free(p);
	return answer;
}

static enum err
check_answer(struct mcp_client *c, const struct reply *r, json_t *id,
    json_t **ret, struct why *why)
{
	json_t *o = message_of(r);
	json_t *error = json_object_get(o, "error");
	json_t *version = json_object_get(o, "jsonrpc");
	enum err e;

	keep_server(c, json_object_get(o, "result"));
	if (!json_is_object(o) || !json_is_string(version) ||
	    strcmp(json_string_value(version), "2.0") != 0)
		e = r->status == STATUS_OK
		    ? why_set(why, ERR_SYNTAX, "not a JSON-RPC answer")
		    : why_set(why, ERR_SYNTAX, "HTTP status %ld%s", r->status,
		          r->status == STATUS_NO_TOKEN
		              ? ": the token was refused"
		              : "");
	else if (!json_equal(json_object_get(o, "id"), id))
		e = why_set(why, ERR_SYNTAX, "the answer to another question");
	else if (error)
		e = denied(json_object_get(error, "message"), why);
	else
		e = check_result(json_object_get(o, "result"), ret, why);
	json_decref(o);
	return e;
}

enum err
mcp_client_call(struct mcp_client *c, const struct mcp_question *q,
    json_t **ret, struct why *why)
{
	json_t *request = with_id(request_of(q));
	char *text = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS);
	struct reply r = { .is_stream = false };
	enum err e;

	buf_init(&r.body, ANSWER_MAX);
	e = post(c, q, text, &r, why);
	if (e == ERR_OK)
		e = check_answer(c, &r, json_object_get(request, "id"), ret,
		    why);
	buf_done(&r.body);
	free(text);
	json_decref(request);
	return e;
}

json_t *
mcp_client_server(const struct mcp_client *c)
{
	return c->server;
}
