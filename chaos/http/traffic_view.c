/*
 * Watching is a list of callbacks and a stage that passes every item on
 * before anybody hears of it: who watches can never hold up who is watched.
 */
#include "chaos/http/traffic_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/slice.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/request_key.h"
#include "chaos/text/conversation.h"

#define WATCHERS_MAX 64

struct watcher {
	traffic_watcher *on_step;
	void *arg;
};

struct traffic {
	struct watcher watchers[WATCHERS_MAX];
	size_t n;
	uint64_t last_id;
	bool wants_text;
};

struct traffic_view_tap {
	struct stage stage;
	struct traffic_view *view; /* borrowed */
};

/* ---- who watches */

struct traffic *
traffic_new(void)
{
	return xcalloc(1, sizeof(struct traffic));
}

void
traffic_free(struct traffic *t)
{
	free(t);
}

void
traffic_watch(struct traffic *t, traffic_watcher *on_step, void *arg)
{
	if (t->n < WATCHERS_MAX)
		t->watchers[t->n++] = (struct watcher){ on_step, arg };
}

void
traffic_unwatch(struct traffic *t, traffic_watcher *on_step, void *arg)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->watchers[i].on_step == on_step &&
		    t->watchers[i].arg == arg)
			t->watchers[i--] = t->watchers[--t->n];
}

void
traffic_want_text(struct traffic *t)
{
	t->wants_text = true;
}

bool
traffic_wants_text(const struct traffic *t)
{
	return t && t->wants_text;
}

bool
traffic_is_watched(const struct traffic *t)
{
	return t && t->n > 0;
}

static void
tell(const struct traffic_view *s, enum traffic_view_step step)
{
	struct traffic *t = s->traffic;

	/* Backwards, because a watcher may leave from inside its call, and then
	 * the last one, which has heard it already, takes its place. */
	for (size_t i = t->n; i > 0; i--)
		t->watchers[i - 1].on_step(s, step, t->watchers[i - 1].arg);
}

/* ---- one exchange */

/* Only plain characters: it ends up on pages and in JSON. */
static void
copy(char *out, size_t size, struct slice text)
{
	size_t n = text.n < size ? text.n : size - 1;

	for (size_t i = 0; i < n; i++)
		if ((out[i] = text.p[i]) < ' ' || out[i] > '~')
			out[i] = '?';
	out[n] = '\0';
}

/*
 * Does it hurt to do this twice?  Reading does not, nor does asking a model;
 * a tool may do anything, and so may whatever we do not know.
 */
static bool
has_side_effect(struct facts *f, const char *call)
{
	static const char *const harmless[] = { "/completions", "/embeddings",
		"/moderations" };
	struct slice path = facts_path(f), method = facts_method(f);

	if (facts_dialect(f))
		return false;

	if (slice_is(method, "GET") || slice_is(method, "HEAD") ||
	    slice_is(method, "OPTIONS"))
		return false;
	/* The method of a JSON-RPC call says more than the path, which is the
	 * same for all of them. */
	if (call[0])
		return strcmp(call, "tools/call") == 0;
	for (size_t i = 0; i < COUNT(harmless); i++)
		if (slice_ends(path, harmless[i]))
			return false;
	return true;
}

/* A tool call and its arguments; and the key by which a server may know that
 * it has seen the call: a header, or where there are none, of "_meta". */
static void
read_effect(struct traffic_view *s, struct facts *f, json_t *params)
{
	json_t *meta = json_object_get(params, "_meta");
	struct slice key = facts_header(f, "idempotency-key");
	const char *name = json_string_value(json_object_get(params, "name"));
	char *args;

	if (key.n == 0)
		key = slice_of(
		    json_string_value(json_object_get(meta, "idempotencyKey")));
	s->has_idempotency = key.n > 0;
	if (key.n)
		digest_sha256_hex(key.p, key.n, s->idempotency);
	if (strcmp(s->call, "tools/call") != 0 || !name)
		return;
	args = json_dumps(json_object_get(params, "arguments"),
	    JSON_COMPACT | JSON_SORT_KEYS);
	s->effect = xasprintf("%s %s", name, args ? args : "");
	free(args);
}

/* Who asks: another one is not told the same. */
static void
read_credential(struct traffic_view *s, struct facts *f)
{
	static const char *const names[] = { "authorization", "x-api-key",
		"api-key", "x-goog-api-key" };
	struct digest *d = digest_new();
	uint8_t hash[DIGEST_BYTES];
	bool has_any = false;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct slice v = facts_header(f, names[i]);

		has_any |= v.n > 0;
		digest_add(d, v.p, v.n);
		digest_adds(d, "\n");
	}
	digest_finish(d, hash);
	if (has_any)
		digest_hex(hash, s->credential);
}

static void
read_conversation(struct traffic_view *s, json_t *request)
{
	struct conversation c;

	conversation_read(request, &c);
	s->turn = (int64_t)c.turn;
	s->tells_failure = c.failures > 0 || c.is_refused;
}

struct traffic_view *
traffic_view_new(struct traffic *t, struct facts *f, uint64_t now_us)
{
	struct traffic_view *s;
	json_t *json;

	if (!traffic_is_watched(t))
		return NULL;
	json = facts_json(f);
	s = xcalloc(1, sizeof *s);
	s->traffic = t;
	s->id = ++t->last_id;
	s->proxy = f->proxy;
	snprintf(s->key, sizeof s->key, "%s", identity_key(f));
	s->attempt = f->attempt;
	s->ordinal = f->ordinal;
	if (facts_dialect(f))
		read_conversation(s, json);
	copy(s->method, sizeof s->method, facts_method(f));
	copy(s->client, sizeof s->client, facts_header(f, "user-agent"));
	copy(s->path, sizeof s->path, facts_path(f));
	copy(s->model, sizeof s->model, facts_asked_model(f));
	copy(s->op, sizeof s->op, facts_op(f));
	if (json_object_get(json, "jsonrpc"))
		copy(s->call, sizeof s->call,
		    slice_of(
		        json_string_value(json_object_get(json, "method"))));
	s->asks_stream = facts_stream(f);
	s->has_side_effect = has_side_effect(f, s->call);
	read_effect(s, f, json_object_get(json, "params"));
	s->reading = answer_worth_new(facts_dialect(f));
	if (s->call[0] && json_object_get(json, "id"))
		answer_worth_expect_rpc(s->reading);
	read_credential(s, f);
	s->arrived_us = now_us;
	tell(s, TRAFFIC_VIEW_ARRIVED);
	return s;
}

void
traffic_view_free(struct traffic_view *s)
{
	if (!s)
		return;
	answer_worth_free(s->reading);
	free(s->effect);
	free(s);
}

void
traffic_view_reached_upstream(struct traffic_view *s)
{
	if (s)
		s->reached_upstream = true;
}

void
traffic_view_over(struct traffic_view *s, const struct facts *f, bool has_left,
    uint64_t now_us)
{
	if (!s || s->over_us)
		return;
	s->over_us = now_us;
	s->has_left = has_left;
	s->is_torn |= !s->head_us;
	s->fires = f->fires;
	tell(s, TRAFFIC_VIEW_OVER);
}

/* ---- the stage */

static void
on_item(struct stage *st, const struct item *it)
{
	struct traffic_view *s = ((struct traffic_view_tap *)st)->view;
	struct exchange *x = st->exchange;

	switch (it->kind) {
	case ITEM_HEAD:
		answer_worth_add_head(s->reading, exchange_answer(x),
		    clock_wall_ms() / 1000);
		s->head_us = loop_now_us(exchange_loop(x));
		s->fires = exchange_facts(x)->fires;
		tell(s, TRAFFIC_VIEW_HEAD);
		break;
	case ITEM_EVENT:
	case ITEM_BYTES:
		if (!exchange_answer(x)->is_websocket)
			answer_worth_add(s->reading, it->raw);
		break;
	case ITEM_NOTE:
		break;
	case ITEM_END:
		answer_worth_end(s->reading, it->end);
		s->is_torn = it->end != ITEM_END_CLEAN;
		break;
	}
	stage_pass(st, it);
}

static void
tap_free(struct stage *st)
{
	free((struct traffic_view_tap *)st);
}

static const struct stage_ops tap_ops = { on_item, tap_free };

struct stage *
traffic_view_stage(struct traffic_view *s)
{
	struct traffic_view_tap *tap = xcalloc(1, sizeof *tap);

	tap->stage.ops = &tap_ops;
	tap->view = s;
	return &tap->stage;
}
