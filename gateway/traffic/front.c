/*
 * Paths by table, behind any of a few prefixes, because clients differ in what
 * they take for the base URL.  Strangers are refused from
 * the head alone, before a body is read.
 */
#include "gateway/traffic/front.h"

#include "base/mem.h"
#include "gateway/exchange/answer_stamp.h"
#include "gateway/exchange/gateway.h"
#include "gateway/routing/auth.h"
#include "gateway/routing/browser_origin.h"
#include "gateway/store/spend_ledger.h"
#include "gateway/traffic/call.h"
#include "gateway/traffic/models.h"
#include "gateway/traffic/passthrough.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS         "/models"
#define MODELS_MAX     (1U << 20)
#define PATH_MAX_BYTES 8192

static const char *const prefixes[] = { "/v1", "", "/api/llm" };

/* What a request asks for. */
struct asked {
	enum { ASKED_NOTHING, ASKED_CALL, ASKED_MODELS } what;
	const struct schema *schema; /* of a call */
	struct slice model;          /* one of them, as in the path; "": all */
};

static struct asked
find_asked(struct slice target)
{
	const char *query = memchr(target.p, '?', target.n);
	struct asked a = { ASKED_NOTHING, NULL, { "", 0 } };
	struct slice path = target, rest;
	size_t n;

	if (query)
		path.n = (size_t)(query - target.p);
	for (size_t i = 0; i < COUNT(prefixes) && !a.what; i++) {
		n = strlen(prefixes[i]);
		if (path.n <= n || memcmp(path.p, prefixes[i], n) != 0)
			continue;
		rest = (struct slice){ path.p + n, path.n - n };
		if ((a.schema = schema_find(rest)))
			a.what = ASKED_CALL;
		else if (rest.n >= sizeof MODELS - 1 &&
		    memcmp(rest.p, MODELS, sizeof MODELS - 1) == 0 &&
		    (rest.n == sizeof MODELS - 1 ||
		        rest.p[sizeof MODELS - 1] == '/')) {
			a.what = ASKED_MODELS;
			if (rest.n > sizeof MODELS)
				a.model =
				    (struct slice){ rest.p + sizeof MODELS,
					    rest.n - sizeof MODELS };
		}
	}
	return a;
}

static bool
is_allowed(const struct asked *a, struct slice method)
{
	return a->what == ASKED_CALL
	    ? slice_is(method, "POST")
	    : slice_is(method, "GET") || slice_is(method, "HEAD");
}

/* Whether that could be billed, behind whatever prefix.  To look at an answer
 * that is stored, to delete it and to count tokens is free. */
static bool
names_call(const struct http1_head *h, struct slice path)
{
	bool looks = slice_is(h->method, "GET") ||
	    slice_is(h->method, "HEAD") || slice_is(h->method, "DELETE");
	char text[PATH_MAX_BYTES];

	if ((looks && h->framing == HTTP1_NO_BODY) ||
	    slice_is(path, "/messages/count_tokens"))
		return false;
	if (path.n >= sizeof text)
		return true;
	memcpy(text, path.p, path.n);
	text[path.n] = '\0';
	/* Anywhere: what stands behind it (a slash, ;x) some servers cut off.
	 */
	for (unsigned i = 0; i < SCHEMA_NKINDS; i++)
		if (strcasestr(text, schema_of((enum schema_kind)i)->path))
			return true;
	return false;
}

/* The provider that a path which is none of ours passes to; the longest
 * prefix counts. */
static void
find_pass(const struct gateway *g, const struct http1_head *h,
    struct pass_ask *ret)
{
	static const size_t by_length[] = { 2, 0, 1 }; /* of prefixes */
	struct slice target = h->target, path;
	const char *query;
	size_t n;

	for (size_t i = 0; i < COUNT(by_length); i++) {
		n = strlen(prefixes[by_length[i]]);
		if (target.n <= n + 1 || target.p[n] != '/' ||
		    memcmp(target.p, prefixes[by_length[i]], n) != 0)
			continue;
		ret->rest = path = (struct slice){ target.p + n, target.n - n };
		if ((query = memchr(path.p, '?', path.n)))
			path.n = (size_t)(query - path.p);
		/* A provider that knows both spellings would answer it past
		 * limits and bills. */
		if (names_call(h, path))
			return;
		ret->to = pass_provider(g->conf, path);
		return;
	}
}

void
front_refuse(struct gateway *g, struct serve_call *sc,
    const struct answer_stamp_error *e, const struct answer_stamp *extra)
{
	struct answer_stamp_error said = *e;

	g->stats.by_class[e->status / 100 < 6 ? e->status / 100 : 5]++;
	said.schema = find_asked(serve_head(sc)->target).schema;
	answer_stamp_refuse(sc, &said, extra);
}

static void
refuse_path(struct gateway *g, struct serve_call *sc)
{
	const struct http1_head *h = serve_head(sc);
	char message[200];
	struct answer_stamp_error e = { 404, "unknown_path", NULL, message,
		NULL };

	snprintf(message, sizeof message,
	    "no such path: %.*s %.*s; try POST /v1/chat/completions or GET "
	    "/v1/models",
	    (int)(h->method.n < 16 ? h->method.n : 16), h->method.p,
	    (int)(h->target.n < 64 ? h->target.n : 64), h->target.p);
	front_refuse(g, sc, &e, NULL);
}

void
front_refuse_method(struct gateway *g, struct serve_call *sc,
    const char *allowed)
{
	static const struct answer_stamp_error e = { 405, "method_not_allowed",
		NULL, "the method is not allowed here; see the Allow header",
		NULL };
	struct answer_stamp extra = { .n = 0 };

	answer_stamp_add(&extra, "allow", allowed);
	front_refuse(g, sc, &e, &extra);
}

/* ---- the door, before a body is read */

/* Keys that were handed out open this door and never the admin's; once there
 * is one, also one that was revoked, nobody comes in without. */
static struct auth_door
front_door(const struct gateway *g)
{
	const struct keyring *keys = ledger_keys(g->ledger);

	return (struct auth_door){ g->conf, keys,
		g->conf->nkeys > 0 || keyring_size(keys) > 0 || g->is_front_far,
		false };
}

bool
front_refuse_stranger(struct gateway *g, struct serve_call *sc,
    const struct auth_door *door)
{
	struct browser_origin_verdict v =
	    browser_origin_judge(door, serve_head(sc));
	struct answer_stamp_error e = { v.status, v.code, NULL, v.message,
		NULL };
	struct answer_stamp extra = { .n = 0 };

	if (!v.status)
		return false;
	if (v.status == 401)
		answer_stamp_add(&extra, "www-authenticate", "Bearer");
	front_refuse(g, sc, &e, &extra);
	return true;
}

static int
on_head(struct serve_call *sc, const char **reason, void *arg)
{
	const struct http1_head *h = serve_head(sc);
	struct gateway *g = arg;
	const char *origin = browser_origin_origin(g->conf, h);
	struct auth_door door = front_door(g);
	struct browser_origin_verdict v = browser_origin_judge(&door, h);
	char *lines;

	g->known = v.caller;
	*reason = v.message;
	if (origin) {
		lines = xasprintf("access-control-allow-origin: %s\r\n"
		                  "access-control-expose-headers: *\r\n"
		                  "vary: origin\r\n",
		    origin);
		serve_add_head(sc, lines);
		free(lines);
	}
	return v.status;
}

/* What the browser asks for on behalf of a page that may call. */
static void
answer_preflight(struct gateway *g, struct serve_call *sc)
{
	const struct http1_head *h = serve_head(sc);
	const struct slice *asked =
	    http1_get(h, "access-control-request-headers");
	char *names = asked ? slice_dup(*asked) : NULL;
	char id[ANSWER_STAMP_ID_BYTES];
	struct answer_stamp a;

	answer_stamp_new_id(id);
	answer_stamp_init(&a, id);
	answer_stamp_add(&a, "access-control-allow-methods",
	    "GET, POST, OPTIONS");
	answer_stamp_add(&a, "access-control-allow-headers", names);
	answer_stamp_add(&a, "access-control-max-age", "600");
	if (http1_get(h, "access-control-request-private-network"))
		answer_stamp_add(&a, "access-control-allow-private-network",
		    "true");
	g->stats.by_class[2]++;
	serve_answer(sc, 204, a.fields, a.n, NULL, 0);
	free(names);
}

/* Nobody counts there, so no budget would hold. */
static void
refuse_unmetered(struct gateway *g, struct serve_call *sc)
{
	static const struct answer_stamp_error e = { 403, "path_not_allowed",
		NULL,
		"keys that were handed out may only ask for what is "
		"metered",
		NULL };

	front_refuse(g, sc, &e, NULL);
}

static void
on_request(struct serve_call *sc, void *arg)
{
	const struct http1_head *h = serve_head(sc);
	struct asked asked = find_asked(h->target);
	struct gateway *g = arg;
	struct pass_ask other = { .to = NULL };
	struct auth_door door = front_door(g);
	const struct conf_key *caller = door.asks_keys && serve_came_at_once(sc)
	    ? g->known
	    : auth_caller(&door, h, NULL);

	g->stats.requests++;
	if (!asked.what)
		find_pass(g, h, &other);
	other.caller = caller;
	if (browser_origin_is_preflight(g->conf, h))
		answer_preflight(g, sc);
	else if (!caller) /* its key went while its body came */
		(void)front_refuse_stranger(g, sc, &door);
	else if (other.to && caller->grant)
		refuse_unmetered(g, sc);
	else if (other.to && !pass_takes(h->method))
		front_refuse_method(g, sc, PASS_METHODS);
	else if (other.to)
		pass_start(g, sc, &other);
	else if (!asked.what)
		refuse_path(g, sc);
	else if (!is_allowed(&asked, h->method))
		front_refuse_method(g, sc,
		    asked.what == ASKED_CALL ? "POST" : "GET, HEAD");
	else if (asked.what == ASKED_CALL)
		call_start(g, sc, caller, asked.schema);
	else
		models_answer(g, sc, caller, asked.model);
}

void
front_on_refuse(struct serve_call *sc, int status, const char *reason,
    void *arg)
{
	struct answer_stamp_error e = { .status = status,
		.code = "bad_request",
		.message = reason };
	struct gateway *g = arg;

	g->stats.by_class[0]++;
	answer_stamp_refuse(sc, &e, NULL);
}

/* ---- what happens to those that are answered later */

static void
on_gone(struct serve_call *sc, enum serve_gone why, void *arg)
{
	const struct front_work *const *work = serve_data(sc);

	if (work)
		(*work)->on_gone(sc, why, arg);
}

static void
on_drain(struct serve_call *sc, void *arg)
{
	const struct front_work *const *work = serve_data(sc);

	if (work)
		(*work)->on_drain(sc, arg);
}

static void
on_refuse(struct serve_call *sc, int status, const char *reason, void *arg)
{
	struct gateway *g = arg;
	struct auth_door door = front_door(g);

	if (status == 401 || status == 403) {
		g->stats.requests++;
		(void)front_refuse_stranger(g, sc, &door);
	} else {
		front_on_refuse(sc, status, reason, arg);
	}
}

const struct serve_ops front_ops = {
	.on_head = on_head,
	.on_request = on_request,
	.on_refuse = on_refuse,
	.on_gone = on_gone,
	.on_drain = on_drain,
};
