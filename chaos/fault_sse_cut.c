/*
 * sse_cut{after_events|after_bytes,how}: an event stream that ends early, at
 * an exact event or byte of the logical stream.
 *
 *	clean        the chunked terminator without [DONE]: many clients take
 *	             it for success
 *	fin, rst     the connection is closed or reset
 *	error_event  an error object as the last event, then the terminator
 *
 * Comments and blank blocks are not events, but their bytes count.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/engine.h"
#include "chaos/exchange.h"
#include "chaos/fault.h"
#include "chaos/stage.h"

#define EVENTS_MAX 1000000
#define BYTES_MAX  1e9

static const char error_event[] =
    "data: {\"error\":{\"message\":\"The server had an error while processing "
    "your request. Sorry about that!\",\"type\":\"server_error\","
    "\"param\":null,\"code\":null}}\n\n";

enum how { HOW_CLEAN, HOW_ERROR_EVENT, HOW_FIN, HOW_RST, HOW_NHOWS };

static const char *const how_names[] = { [HOW_CLEAN] = "clean",
	[HOW_ERROR_EVENT] = "error_event",
	[HOW_FIN] = "fin",
	[HOW_RST] = "rst",
	[HOW_NHOWS] = NULL };

static const enum item_end how_ends[HOW_NHOWS] = {
	[HOW_CLEAN] = ITEM_END_CLEAN,
	[HOW_ERROR_EVENT] = ITEM_END_CLEAN,
	[HOW_FIN] = ITEM_END_FIN,
	[HOW_RST] = ITEM_END_RST,
};

struct conf {
	int64_t after_events, after_bytes; /* -1: not asked */
	int how;
};

static const struct jfield fields[] = {
	{ "after_bytes", JF_INT, 0, 0, BYTES_MAX,
	    offsetof(struct conf, after_bytes), NULL },
	{ "after_events", JF_INT, 0, 0, EVENTS_MAX,
	    offsetof(struct conf, after_events), NULL },
	{ "how", JF_ENUM, 0, 0, 0, offsetof(struct conf, how), how_names },
};

struct cut {
	struct stage stage;
	int64_t events, bytes; /* passed so far */
	bool is_cut, is_off;
};

static void
defaults(void *conf)
{
	struct conf *c = conf;

	c->after_events = c->after_bytes = -1;
	c->how = HOW_CLEAN;
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;

	if ((c->after_events >= 0) != (c->after_bytes >= 0))
		return ERR_OK;
	return why_set(why, ERR_SYNTAX,
	    "%s: expected exactly one of after_events and after_bytes",
	    pointer);
}

/* Is the place to cut before this item, or inside it? */
static bool
is_here(const struct cut *k, const struct conf *c, const struct item *it)
{
	if (c->after_bytes >= 0)
		return k->bytes + (int64_t)it->raw.n > c->after_bytes;
	return it->kind == ITEM_EVENT && it->data.n > 0 &&
	    k->events >= c->after_events;
}

static void
cut_here(struct cut *k, const struct conf *c, const struct item *it)
{
	struct item part = { .kind = ITEM_BYTES, .raw = it->raw };
	struct item last = { .kind = ITEM_BYTES, .raw = slice_of(error_event) };
	struct item end = { .kind = ITEM_END, .end = how_ends[c->how] };

	part.raw.n =
	    c->after_bytes >= 0 ? (size_t)(c->after_bytes - k->bytes) : 0;
	if (!shot_fire(k->stage.shot,
	        json_pack("{sI sI ss}", "events", (json_int_t)k->events,
	            "bytes", (json_int_t)k->bytes + (json_int_t)part.raw.n,
	            "how", how_names[c->how]))) {
		k->is_off = true;
		stage_pass(&k->stage, it);
		return;
	}
	k->is_cut = true;
	exchange_stop_source(k->stage.exchange);
	if (part.raw.n)
		stage_pass(&k->stage, &part);
	if (c->how == HOW_ERROR_EVENT)
		stage_pass(&k->stage, &last);
	stage_pass(&k->stage, &end);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct cut *k = (struct cut *)st;
	const struct conf *c = shot_conf(st->shot);
	bool is_body = it->kind == ITEM_EVENT || it->kind == ITEM_BYTES;

	if (k->is_cut)
		return;
	if (is_body && !k->is_off && is_here(k, c, it)) {
		cut_here(k, c, it);
		return;
	}
	if (is_body) {
		k->bytes += (int64_t)it->raw.n;
		k->events += it->kind == ITEM_EVENT && it->data.n > 0;
	}
	if (it->kind == ITEM_END && !k->is_off)
		shot_bypass(st->shot, "the stream ended before the cut");
	stage_pass(st, it);
}

static void
cut_free(struct stage *st)
{
	free((struct cut *)st);
}

static const struct stage_ops ops = { on_item, cut_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	struct cut *k;

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	return &k->stage;
}

const struct fault_type fault_sse_cut = {
	.name = "sse_cut",
	.about = "an event stream ends early",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.defaults = defaults,
	.check = check,
	.on_answer = on_answer,
};
