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
#include "gateway/routing/door.h"
#include "gateway/text/jput.h"
#include "gateway/traffic/call.h"
#include "gateway/traffic/pass.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS_MAX     (1U << 20)
#define PATH_MAX_BYTES 8192

typedef void front_fn(struct gateway *g, struct serve_call *sc,
    const struct conf_key *caller);

static front_fn answer_models;

static const char *const prefixes[] = { "/v1", "", "/api/llm" };

static const struct place {
	const char *path, *method;
	front_fn *handle;
} places[] = {
	{ "/chat/completions", "POST", call_start },
	{ "/models", "GET", answer_models },
};

/* The place of a request target, its query cut off; NULL for none. */
static const struct place *
find_place(struct slice target)
{
	const char *query = memchr(target.p, '?', target.n);
	struct slice path = target;
	size_t n;

	if (query)
		path.n = (size_t)(query - target.p);
	for (size_t i = 0; i < COUNT(prefixes); i++) {
		n = strlen(prefixes[i]);
		if (path.n <= n || memcmp(path.p, prefixes[i], n) != 0)
			continue;
		for (size_t k = 0; k < COUNT(places); k++)
			if (slice_is((struct slice){ path.p + n, path.n - n },
			        places[k].path))
				return &places[k];
	}
	return NULL;
}

/* Whether the path holds one that is billed, behind whatever prefix. */
static bool
names_place(struct slice path)
{
	char text[PATH_MAX_BYTES];

	if (path.n >= sizeof text)
		return true;
	memcpy(text, path.p, path.n);
	text[path.n] = '\0';
	/* Anywhere: what stands behind it (a slash, ;x) some servers cut off.
	 */
	for (size_t i = 0; i < COUNT(places); i++)
		if (strcmp(places[i].method, "POST") == 0 &&
		    strcasestr(text, places[i].path))
			return true;
	return false;
}

/* The provider that a path which is none of ours passes to; the longest
 * prefix counts. */
static void
find_pass(const struct gateway *g, struct slice target, struct pass_ask *ret)
{
	static const size_t by_length[] = { 2, 0, 1 }; /* of prefixes */
	const char *query;
	struct slice path;
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
		if (names_place(path))
			return;
		ret->to = pass_provider(g->conf, path);
		return;
	}
}

void
front_refuse(struct gateway *g, struct serve_call *sc,
    const struct answer_stamp_error *e, const struct answer_stamp *extra)
{
	g->stats.by_class[e->status / 100 < 6 ? e->status / 100 : 5]++;
	answer_stamp_refuse(sc, e, extra);
}

static void
refuse_path(struct gateway *g, struct serve_call *sc)
{
	const struct http1_head *h = serve_head(sc);
	char message[200];
	struct answer_stamp_error e = { 404, "unknown_path", NULL, message };

	snprintf(message, sizeof message,
	    "no such path: %.*s %.*s; try POST /v1/chat/completions or GET "
	    "/v1/models",
	    (int)(h->method.n < 16 ? h->method.n : 16), h->method.p,
	    (int)(h->target.n < 64 ? h->target.n : 64), h->target.p);
	front_refuse(g, sc, &e, NULL);
}

static void
refuse_method(struct gateway *g, struct serve_call *sc,
    const struct place *place)
{
	struct answer_stamp_error e = { 405, "method_not_allowed", NULL,
		"the method is not allowed here; see the Allow header" };
	struct answer_stamp extra = { .n = 0 };

	answer_stamp_add(&extra, "allow", place->method);
	front_refuse(g, sc, &e, &extra);
}

/* ---- the door, before a body is read */

bool
front_refuse_stranger(struct gateway *g, struct serve_call *sc, bool asks_keys)
{
	struct door_verdict v = door_judge(g->conf, serve_head(sc), asks_keys);
	struct answer_stamp_error e = { v.status, v.code, NULL, v.message };
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
	const char *origin = door_origin(g->conf, h);
	struct door_verdict v = door_judge(g->conf, h, g->conf->nkeys > 0);
	char *lines;

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

static void
on_request(struct serve_call *sc, void *arg)
{
	const struct http1_head *h = serve_head(sc);
	const struct place *place = find_place(h->target);
	struct gateway *g = arg;
	struct pass_ask other = { .to = NULL };
	const struct conf_key *caller = auth_caller(g->conf, h);

	g->stats.requests++;
	if (!place)
		find_pass(g, h->target, &other);
	other.caller = caller;
	if (door_is_preflight(g->conf, h))
		answer_preflight(g, sc);
	else if (!caller) /* its key went while its body came */
		(void)front_refuse_stranger(g, sc, true);
	else if (other.to)
		pass_start(g, sc, &other);
	else if (!place)
		refuse_path(g, sc);
	else if (!slice_is(h->method, place->method))
		refuse_method(g, sc, place);
	else
		place->handle(g, sc, caller);
}

void
front_on_refuse(struct serve_call *sc, int status, const char *reason,
    void *arg)
{
	struct answer_stamp_error e = { status, "bad_request", NULL, reason };
	struct gateway *g = arg;

	g->stats.by_class[0]++;
	answer_stamp_refuse(sc, &e, NULL);
}

/* ---- GET /models */

static void
put_model(struct buf *b, const char *id, const char *owner)
{
	char quoted[512];

	/* A model may be a target of several rules: list it once. */
	snprintf(quoted, sizeof quoted, "\"id\":\"%s\"", id);
	if (strstr(b->data, quoted))
		return;
	buf_addf(b, "%s{", b->data[b->len - 1] == '[' ? "" : ",");
	jput_member(b, "id", id);
	jput_member(b, "object", "model");
	jput_uint(b, "created", 0);
	jput_member(b, "owned_by", owner);
	buf_addc(b, '}');
}

static void
put_models(const struct conf *c, struct buf *b)
{
	char name[512];

	for (size_t i = 0; i < c->nrules; i++) {
		const struct conf_rule *rule = &c->rules[i];

		for (const struct ynode *n = rule->models ? rule->models->first
		                                          : NULL;
		     n; n = n->next)
			if (strcmp(n->text, "*") != 0)
				put_model(b, n->text, "gateway");
		if (rule->virtual_model)
			put_model(b, rule->virtual_model, "gateway");
		for (size_t k = 0; k < rule->ntargets; k++)
			put_model(b, rule->targets[k].name,
			    rule->targets[k].provider->name);
	}
	for (size_t i = 0; i < c->nproviders; i++) {
		const struct conf_provider *p = &c->providers[i];

		for (const struct ynode *n = p->models ? p->models->first
		                                       : NULL;
		     n; n = n->next) {
			snprintf(name, sizeof name, "%s/%s", p->name, n->text);
			put_model(b, name, p->name);
		}
	}
}

static void
answer_models(struct gateway *g, struct serve_call *sc,
    const struct conf_key *caller)
{
	struct buf b;

	(void)caller;
	buf_init(&b, MODELS_MAX);
	buf_adds(&b, "{\"object\":\"list\",\"data\":[");
	put_models(g->conf, &b);
	buf_adds(&b, "]}");
	g->stats.by_class[2]++;
	answer_stamp_text(sc, 200, "application/json", &b);
	buf_done(&b);
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

	if (status == 401 || status == 403) {
		g->stats.requests++;
		(void)front_refuse_stranger(g, sc, g->conf->nkeys > 0);
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
