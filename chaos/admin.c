/*
 * Routes of the admin listener.  Errors look like Toxiproxy's, so that its
 * clients understand them.
 */
#include "chaos/admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/opts.h"
#include "base/serve.h"

#define VERSION_BODY "{\"version\": \"2.12.0\"}\n"

struct admin {
	struct serve *serve; /* owned */
};

struct request {
	struct admin *admin;
	struct serve_call *call;
};

static void
get_version(struct request *r)
{
	char ours[64];
	const struct http1_field fields[] = {
		{ "content-type", "application/json;charset=utf-8" },
		{ "x-kf-chaos", ours },
	};

	snprintf(ours, sizeof ours, "kf-chaos/%s", opts_version());
	serve_answer(r->call, 200, fields, 2, VERSION_BODY,
	    strlen(VERSION_BODY));
}

static const struct {
	const char *method, *path;
	void (*answer)(struct request *r);
} routes[] = {
	{ "GET", "/version", get_version },
};

static void
answer_text(struct request *r, int status, const char *text)
{
	static const struct http1_field fields[] = {
		{ "content-type", "text/plain; charset=utf-8" },
		{ "x-content-type-options", "nosniff" },
	};

	serve_answer(r->call, status, fields, 2, text, strlen(text));
}

static void
on_request(struct serve_call *c, void *arg)
{
	const struct http1_head *h = serve_head(c);
	struct request r = { arg, c };
	bool is_path = false;

	for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
		if (!slice_is(h->target, routes[i].path))
			continue;
		is_path = true;
		if (slice_is(h->method, routes[i].method)) {
			routes[i].answer(&r);
			return;
		}
	}
	answer_text(&r, is_path ? 405 : 404,
	    is_path ? "" : "404 page not found\n");
}

static const struct serve_ops serve_ops = { .on_request = on_request };

enum err
admin_new(struct loop *l, const struct addr *listen, struct admin **ret,
    struct why *why)
{
	struct serve_conf conf = { .listen = *listen };
	struct admin *a = xcalloc(1, sizeof *a);
	enum err e = serve_new(l, &conf, &serve_ops, a, &a->serve, why);

	if (e != ERR_OK) {
		free(a);
		return why_prefix(why, e, "admin");
	}
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
