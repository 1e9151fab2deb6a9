/*
 * Routes of the room, its listeners, and the events they are sent.  While
 * nobody listens nothing is watched, so an open admin port costs nothing.
 */
#include "chaos/admin/control_room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/opts.h"
#include "chaos/admin/control_room_audits.h"
#include "chaos/admin/control_room_presets.h"

#define LISTENERS_MAX 16
#define BEHIND_BYTES  (1u << 20) /* a listener this far behind misses events */
#define TICK_S        10
#define PREFIX        "/ui"
#define JSON_TYPE     "application/json"

static const char policy[] =
    "default-src 'none'; style-src 'unsafe-inline'; script-src "
    "'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

struct room {
	struct room_env env;
	struct serve_call *listeners[LISTENERS_MAX];
	size_t n;
	uint64_t since_ms;           /* wall time: which proxy this is */
	struct event *tick;          /* owned: keeps idle streams alive */
	struct roompresets *presets; /* owned */
	struct roomaudits *audits;   /* owned */
};

/* ---- answers */

static void
answer(struct serve_call *c, int status, const char *type, struct slice body)
{
	const struct http1_field fields[] = {
		{ "content-type", type },
		{ "cache-control", "no-store" },
		{ "x-content-type-options", "nosniff" },
		{ "referrer-policy", "no-referrer" },
		{ "content-security-policy", policy },
	};

	serve_answer(c, status, fields, COUNT(fields), body.p, body.n);
}

static void
answer_json(struct serve_call *c, int status, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT);

	answer(c, status, JSON_TYPE, slice_of(text));
	free(text);
	json_decref(v);
}

static void
answer_error(struct serve_call *c, int status, const char *text)
{
	answer_json(c, status, json_pack("{ss}", "error", text));
}

/* ---- events */

static void
send_text(struct room *r, const char *name, const char *text)
{
	char *event = xasprintf("event: %s\ndata: %s\n\n", name, text);

	for (size_t i = 0; i < r->n; i++)
		if (serve_pending_bytes(r->listeners[i]) < BEHIND_BYTES)
			serve_write(r->listeners[i], event, strlen(event));
	free(event);
}

static void
send_json(struct room *r, const char *name, json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT);

	if (text)
		send_text(r, name, text);
	free(text);
}

static void
on_line(json_t *line, void *arg)
{
	send_json(arg, "fault", line);
}

static void
on_view(const struct traffic_view *s, enum traffic_view_step step, void *arg)
{
	static const char *const names[TRAFFIC_VIEW_NSTEPS] = { "request",
		"head", "over" };
	const struct answer_worth_head *h = answer_worth_head(s->reading);
	json_t *v = json_pack("{sI ss ss ss sI ss ss ss ss ss sb sI}", "id",
	    (json_int_t)s->id, "client", s->client, "proxy", s->proxy, "key",
	    s->key, "attempt", (json_int_t)s->attempt, "method", s->method,
	    "path", s->path, "model", s->model, "op", s->op, "call", s->call,
	    "stream", s->asks_stream, "at_us", (json_int_t)s->arrived_us);

	if (v && step != TRAFFIC_VIEW_ARRIVED) {
		json_t *more = json_pack("{si sI ss si sb sI sI}", "status",
		    h->status, "retry_after_ms", (json_int_t)h->retry_after_ms,
		    "answer", worth_name(answer_worth_of(s->reading)), "fires",
		    s->fires, "left", s->has_left, "head_us",
		    (json_int_t)s->head_us, "over_us", (json_int_t)s->over_us);

		json_object_update(v, more);
		json_decref(more);
	}
	if (v)
		send_json(arg, names[step], v);
	json_decref(v);
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct room *r = arg;

	(void)fd;
	(void)what;
	for (size_t i = 0; i < r->n; i++)
		serve_write(r->listeners[i], ": still here\n\n", 14);
}

/* ---- listeners */

static void
listen_or_not(struct room *r, bool is_listening)
{
	if (is_listening) {
		traffic_watch(r->env.traffic, on_view, r);
		events_watch(r->env.events, on_line, r);
		loop_arm(r->tick, TICK_S * US_PER_S);
	} else {
		traffic_unwatch(r->env.traffic, on_view, r);
		events_watch(r->env.events, NULL, NULL);
		event_del(r->tick);
	}
}

static void
get_stream(struct room *r, struct serve_call *c, struct slice rest)
{
	static const struct http1_field fields[] = {
		{ "content-type", "text/event-stream" },
		{ "cache-control", "no-store" },
	};

	(void)rest;
	if (r->n == LISTENERS_MAX) {
		answer_error(c, 503, "too many pages are open");
		return;
	}
	if (serve_start(c, 200, fields, 2) != ERR_OK)
		return;
	/* The page learns that it is connected before the first event, which
	 * may be long in coming. */
	serve_write(c, ": here we are\n\n", 15);
	r->listeners[r->n++] = c;
	if (r->n == 1)
		listen_or_not(r, true);
}

void
room_gone(struct room *r, struct serve_call *c)
{
	for (size_t i = 0; r && i < r->n; i++) {
		if (r->listeners[i] != c)
			continue;
		r->listeners[i] = r->listeners[--r->n];
		if (r->n == 0)
			listen_or_not(r, false);
		return;
	}
}

/* ---- state and switches */

static json_t *
rule_json(const struct room *r, size_t i)
{
	const struct rule *rule = &r->env.scenario->rules[i];
	uint64_t counts[GOAL_NCOUNTS];
	json_t *faults = json_array();

	engine_counts(r->env.engine, i, counts);
	for (size_t k = 0; k < rule->nfaults; k++)
		json_array_append_new(faults,
		    json_string(rule->faults[k].type->name));
	return json_pack("{ss so ss? ss? sb sI sI sI}", "id", rule->id,
	    "faults", faults, "proxy", rule->proxy, "phase",
	    rule->phase < 0 ? NULL : r->env.scenario->phases[rule->phase].name,
	    "enabled", engine_is_enabled(r->env.engine, i), "matched",
	    (json_int_t)counts[GOAL_MATCHED], "fired",
	    (json_int_t)counts[GOAL_FIRED], "bypassed",
	    (json_int_t)counts[GOAL_BYPASSED]);
}

static void
get_state(struct room *r, struct serve_call *c, struct slice rest)
{
	const struct scenario *s = r->env.scenario;
	json_t *rules = json_array(), *proxies = json_array();
	json_t *types = json_array();

	(void)rest;
	for (size_t i = 0; i < s->nrules; i++)
		json_array_append_new(rules, rule_json(r, i));
	for (size_t i = 0; i < fault_type_count(); i++)
		json_array_append_new(types,
		    json_string(fault_type_at(i)->name));
	r->env.list_proxies(proxies, r->env.arg);
	answer_json(c, 200,
	    json_pack("{ss ss ss sI so so so so sI sO}", "version",
	        opts_version(), "scenario", s->name, "hash", s->hash, "since",
	        (json_int_t)r->since_ms, "rules", rules, "presets",
	        roompresets_json(r->presets), "proxies", proxies, "toxics",
	        types, "faults", (json_int_t)events_count(r->env.events),
	        "audits", roomaudits_json(r->audits)));
}

static void
post_rule(struct room *r, struct serve_call *c, struct slice id)
{
	struct slice body = serve_body(c);
	json_t *v = json_loadb(body.p ? body.p : "", body.n, 0, NULL);
	json_t *enabled = json_object_get(v, "enabled");
	const struct scenario *s = r->env.scenario;
	size_t i = 0;

	while (i < s->nrules && !slice_is(id, s->rules[i].id))
		i++;
	if (i == s->nrules)
		answer_error(c, 404, "no such rule");
	else if (!json_is_boolean(enabled))
		answer_error(c, 400, "expected {\"enabled\": true or false}");
	else {
		engine_enable(r->env.engine, i, json_is_true(enabled));
		answer_json(c, 200, rule_json(r, i));
	}
	json_decref(v);
}

static void
post_preset(struct room *r, struct serve_call *c, struct slice name)
{
	struct slice body = serve_body(c);
	json_t *v = json_loadb(body.p ? body.p : "", body.n, 0, NULL);
	json_t *enabled = json_object_get(v, "enabled");
	struct why why = { "" };
	enum err e = ERR_OK;

	if (!json_is_boolean(enabled))
		e = why_set(&why, ERR_SYNTAX,
		    "expected {\"enabled\": true or false}");
	else
		e = roompresets_switch(r->presets, name, json_is_true(enabled),
		    &why);
	if (e == ERR_OK)
		answer_json(c, 200,
		    json_pack("{so}", "presets", roompresets_json(r->presets)));
	else
		answer_error(c, e == ERR_NOTFOUND ? 404 : 400, why.text);
	json_decref(v);
}

/* Pages look at the state again when one has said something. */
static void
post_audit(struct room *r, struct serve_call *c, struct slice id)
{
	struct slice body = serve_body(c);
	json_t *v = json_loadb(body.p ? body.p : "", body.n, 0, NULL);
	struct why why = { "" };

	if (roomaudits_tell(r->audits, id, v, &why) == ERR_OK) {
		answer_json(c, 200, json_object());
		send_text(r, "audit", "{}");
	} else
		answer_error(c, 400, why.text);
	json_decref(v);
}

static void
get_page(struct room *r, struct serve_call *c, struct slice rest)
{
	(void)r;
	(void)rest;
	answer(c, 200, "text/html; charset=utf-8", room_page());
}

/* ---- who may ask */

/* NULL: it may; else why not. */
static const char *
refuse(const struct http1_head *h)
{
	const struct slice *host = http1_get(h, "host");
	const struct slice *origin = http1_get(h, "origin");
	struct slice from = origin ? *origin : (struct slice){ "", 0 };
	bool reads = slice_is(h->method, "GET");

	/* The host is one that the door knows (admin_door.h).  A page that
	 * stands behind somebody's TLS has another scheme. */
	if (!host)
		return "a browser names the host";
	if (origin &&
	    (!url_skip_scheme(&from, NULL) || !slice_same(from, *host)))
		return "another origin than the page's";
	/* A page of another site can send no header of its own without asking
	 * first (CORS), and is not answered when it asks. */
	if (!reads && !http1_get(h, "x-kf-room"))
		return "the header x-kf-room is missing";
	return NULL;
}

/* ---- routes */

static const struct {
	const char *method, *path; /* a path that ends in '/' takes a rest */
	void (*answer)(struct room *r, struct serve_call *c, struct slice rest);
} routes[] = {
	{ "GET", "", get_page },
	{ "POST", "/audits/", post_audit },
	{ "POST", "/presets/", post_preset },
	{ "POST", "/rules/", post_rule },
	{ "GET", "/state", get_state },
	{ "GET", "/stream", get_stream },
};

static bool
path_fits(const char *pattern, struct slice path, struct slice *rest)
{
	size_t n = strlen(pattern);

	*rest = (struct slice){ path.p + n, path.n - n };
	if (n == 0 || pattern[n - 1] != '/')
		return slice_is(path, pattern);
	return path.n > n && slice_begins(path, pattern);
}

static void
drop(struct slice *s, size_t n)
{
	s->p += n;
	s->n -= n;
}

enum room_answer
room_request(struct room *r, struct serve_call *c, struct slice *path)
{
	const struct http1_head *h = serve_head(c);
	static const char api[] = PREFIX "/api/";
	const char *reason;
	struct slice rest, own = *path;

	if (!r || !slice_begins(*path, PREFIX))
		return ROOM_ELSEWHERE;
	reason = refuse(h);
	if (reason) {
		answer_error(c, 403, reason);
		return ROOM_ANSWERED;
	}
	if (path_fits(api, *path, &rest)) {
		drop(path, strlen(api) - 1);
		return ROOM_API;
	}
	drop(&own, strlen(PREFIX));
	if (slice_is(own, "/"))
		own.n = 0;
	for (size_t i = 0; i < COUNT(routes); i++)
		if (slice_is(h->method, routes[i].method) &&
		    path_fits(routes[i].path, own, &rest)) {
			routes[i].answer(r, c, rest);
			return ROOM_ANSWERED;
		}
	return ROOM_ELSEWHERE;
}

/* ---- life */

struct room *
room_new(const struct room_env *env)
{
	struct room *r = xcalloc(1, sizeof *r);

	r->env = *env;
	r->since_ms = clock_wall_ms();
	r->presets = roompresets_new(env->scenario, env->engine);
	r->audits = roomaudits_new();
	r->tick = event_new(loop_base(env->loop), -1, EV_PERSIST, on_tick, r);
	return r;
}

void
room_free(struct room *r)
{
	if (!r)
		return;
	if (r->n > 0)
		listen_or_not(r, false);
	roompresets_free(r->presets);
	roomaudits_free(r->audits);
	event_free(r->tick);
	free(r);
}
