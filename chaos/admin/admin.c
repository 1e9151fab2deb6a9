/*
 * From a request to its route, and the forms of answers.  Who comes by a
 * strange name or without the token goes no further than the door; matched
 * routes refuse browsers, so that no web page can drive the proxy.
 */
#include "chaos/admin/admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/opts.h"

#define DIGITS   15 /* of a number: 0.1 stays 0.1 */
#define BODY_MAX 1024
#define BROWSER  "Mozilla/"
#define NO_PAGE  "404 page not found\n"
#define NO_AGENT "User agent not allowed\n"

struct admin {
	struct serve *serve; /* owned */
	struct admin_conf conf;
};

/* ---- answers */

static void
reply(struct admin_request *r, int status, const struct http1_field *more,
    size_t nmore, struct slice body)
{
	struct http1_field fields[6];
	char ours[64];
	size_t n = 0;

	for (; n < nmore; n++)
		fields[n] = more[n];
	if (r->id[0])
		fields[n++] =
		    (struct http1_field){ "X-Toxiproxy-Request-Id", r->id };
	snprintf(ours, sizeof ours, "kf-chaos/%s", opts_version());
	fields[n++] = (struct http1_field){ "x-kf-chaos", ours };
	serve_answer(r->call, status, fields, n, body.p, body.n);
}

void
admin_text(struct admin_request *r, int status, const char *type,
    struct slice body)
{
	const struct http1_field field = { "content-type", type };

	reply(r, status, &field, 1, body);
}

void
admin_json(struct admin_request *r, int status, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));

	admin_text(r, status, "application/json", slice_of(text));
	free(text);
	json_decref(v);
}

static void
plain(struct admin_request *r, int status, const char *text)
{
	static const struct http1_field fields[] = {
		{ "content-type", "text/plain; charset=utf-8" },
		{ "x-content-type-options", "nosniff" },
		{ "www-authenticate", DOOR_ASKS },
	};

	reply(r, status, fields, status == 401 ? 3 : 2, slice_of(text));
}

void
admin_error(struct admin_request *r, int status, const char *message)
{
	json_t *v = json_pack("{ss si}", "error", message, "status", status);
	char *text = json_dumps(v, JSON_COMPACT), *line;

	line = xasprintf("%s\n", text ? text : "{}");
	plain(r, status, line);
	free(line);
	free(text);
	json_decref(v);
}

void
admin_empty(struct admin_request *r, int status)
{
	reply(r, status, NULL, 0, slice_of(NULL));
}

/* Like the original: one value, whatever follows it. */
json_t *
admin_read(struct admin_request *r, struct why *why)
{
	struct slice body = serve_body(r->call);
	json_error_t error;
	json_t *v = json_loadb(body.p ? body.p : "", body.n,
	    JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &error);
	const char *text = error.text;

	if (v)
		return v;
	/* In the words of Go's decoder, which clients of Toxiproxy show to
	 * people. */
	if (json_error_code(&error) == json_error_premature_end_of_input)
		text = body.n ? "unexpected EOF" : "EOF";
	why_set(why, ERR_SYNTAX, "bad request body: %.200s", text);
	return NULL;
}

json_t *
admin_body(struct admin_request *r)
{
	struct why why = { "" };
	json_t *v = admin_read(r, &why);

	if (!v)
		admin_error(r, 400, why.text);
	return v;
}

/* ---- routes */

/* Is method one of those in "POST|PATCH"? */
static bool
is_method(const char *methods, struct slice method)
{
	while (*methods) {
		size_t n = strcspn(methods, "|");

		if (method.n == n && memcmp(methods, method.p, n) == 0)
			return true;
		methods += n;
		methods += *methods == '|';
	}
	return false;
}

/* A path part without its percent escapes; false if it does not fit. */
static bool
decode_part(struct slice part, char out[ADMIN_NAME_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < part.n && n + 1 < ADMIN_NAME_MAX; i++) {
		char hex[3] = "", *end = hex;

		if (part.p[i] == '%' && i + 2 < part.n) {
			memcpy(hex, part.p + i + 1, 2);
			out[n] = (char)strtoul(hex, &end, 16);
		}
		if (end == hex + 2)
			i += 2;
		else
			out[n] = part.p[i];
		if (out[n++] == '\0')
			return false;
	}
	out[n] = '\0';
	return n > 0 && n + 1 < ADMIN_NAME_MAX;
}

static bool
path_fits(const char *pattern, struct slice path, struct admin_request *r)
{
	size_t names = 0;

	while (*pattern) {
		size_t n;

		if (*pattern != '{') {
			if (path.n == 0 || *path.p != *pattern)
				return false;
			pattern++;
			path.p++;
			path.n--;
			continue;
		}
		for (n = 0; n < path.n && path.p[n] != '/'; n++)
			;
		if (!decode_part((struct slice){ path.p, n },
		        r->names[names++]))
			return false;
		path.p += n;
		path.n -= n;
		pattern += 2;
	}
	return path.n == 0;
}

static bool
is_browser(struct serve_call *c)
{
	const struct slice *agent = http1_get(serve_head(c), "user-agent");

	return agent && slice_begins(*agent, BROWSER);
}

static void
make_id(char out[21])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
	uint8_t bytes[20];

	digest_random(bytes, sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++)
		out[i] = digits[bytes[i] % 32];
	out[20] = '\0';
}

static void
dispatch(struct admin_request *r, const struct admin_route *route)
{
	make_id(r->id);
	/* The room has looked at host and origin itself; for all other routes
	 * this is Toxiproxy's own rule. */
	if (!r->is_of_room && is_browser(r->call))
		plain(r, 403, NO_AGENT);
	else
		route->answer(r);
}

static const struct {
	const struct admin_route *routes;
	const size_t *n;
} tables[] = {
	{ admin_routes, &admin_nroutes },
	{ admin_own_routes, &admin_nown_routes },
};

enum routed { ROUTE_NONE, ROUTE_PATH, ROUTE_ANSWERED };

/* ROUTE_PATH: the path is one of these, with another method. */
static enum routed
route(struct admin_request *r, struct slice path,
    const struct admin_route *routes, size_t n)
{
	enum routed found = ROUTE_NONE;

	for (size_t i = 0; i < n; i++) {
		if (!path_fits(routes[i].path, path, r))
			continue;
		found = ROUTE_PATH;
		if (is_method(routes[i].method, serve_head(r->call)->method)) {
			dispatch(r, &routes[i]);
			return ROUTE_ANSWERED;
		}
	}
	return found;
}

static void
on_request(struct serve_call *c, void *arg)
{
	const struct http1_head *h = serve_head(c);
	struct admin *a = arg;
	struct admin_request r = { .set = a->conf.set,
		.engine = a->conf.engine,
		.loop = a->conf.loop,
		.call = c };
	struct slice path = h->target;
	const char *query = memchr(path.p, '?', path.n);
	bool is_path = false;
	const char *text;
	int status = door_check(&a->conf.door, h, &text);

	if (status) {
		admin_error(&r, status, text);
		return;
	}
	if (query)
		path.n = (size_t)(query - path.p);
	switch (room_request(a->conf.room, c, &path)) {
	case ROOM_ELSEWHERE:
		break;
	case ROOM_API:
		r.is_of_room = true;
		break;
	case ROOM_ANSWERED:
		return;
	}
	for (size_t i = 0; i < COUNT(tables); i++)
		switch (route(&r, path, tables[i].routes, *tables[i].n)) {
		case ROUTE_NONE:
			break;
		case ROUTE_PATH:
			is_path = true;
			break;
		case ROUTE_ANSWERED:
			return;
		}
	if (is_path)
		admin_empty(&r, 405);
	else
		plain(&r, 404, NO_PAGE);
}

static void
on_gone(struct serve_call *c, enum serve_gone why, void *arg)
{
	struct admin *a = arg;

	(void)why;
	room_gone(a->conf.room, c);
}

static const struct serve_ops serve_ops = {
	.on_request = on_request,
	.on_gone = on_gone,
};

enum err
admin_new(const struct admin_conf *conf, struct admin **ret, struct why *why)
{
	struct serve_conf serve = { .listen = conf->listen };
	struct admin *a = xcalloc(1, sizeof *a);
	enum err e =
	    serve_new(conf->loop, &serve, &serve_ops, a, &a->serve, why);

	if (e != ERR_OK) {
		free(a);
		return why_prefix(why, e, "admin");
	}
	a->conf = *conf;
	*ret = a;
	return ERR_OK;
}

void
admin_free(struct admin *a)
{
	if (!a)
		return;
	serve_free(a->serve);
	free(a);
}

void
admin_address(const struct admin *a, struct addr *ret)
{
	serve_address(a->serve, ret);
}
