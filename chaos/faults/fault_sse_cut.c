/*
 * sse_cut{after_events|after_bytes|at,spread,how}: an event stream that ends
 * early, at an exact event, byte or JSON position of the logical stream; with
 * spread later by a drawn number of events or bytes.
 *
 *	at tool_args      inside the arguments of the first tool call
 *	at before_finish  before the event that carries the finish reason
 *	at after_finish   after it, before usage and [DONE]
 *
 *	clean        the chunked terminator without [DONE]: many clients take
 *	             it for success
 *	fin, rst     the connection is closed or reset
 *	error_event  an error object as the last event, then the terminator
 *
 * Comments and blank blocks are not events, but their bytes count.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/faults/editstage.h"
#include "chaos/http/exchange.h"
#include "chaos/http/stage.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define EVENTS_MAX 1000000
#define BYTES_MAX  1000000000
#define PART_MAX   ((size_t)8 << 20)

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

enum at { AT_AFTER_FINISH, AT_BEFORE_FINISH, AT_TOOL_ARGS, AT_NATS };

static const char *const at_names[] = { [AT_AFTER_FINISH] = "after_finish",
	[AT_BEFORE_FINISH] = "before_finish",
	[AT_TOOL_ARGS] = "tool_args",
	[AT_NATS] = NULL };

struct conf {
	int64_t after_events, after_bytes; /* -1: not asked, as at */
	int64_t spread;                    /* more by a draw up to this */
	int at, how;
};

static const struct jfield fields[] = {
	{ "after_bytes", JF_INT, 0, 0, BYTES_MAX,
	    offsetof(struct conf, after_bytes), NULL },
	{ "after_events", JF_INT, 0, 0, EVENTS_MAX,
	    offsetof(struct conf, after_events), NULL },
	{ "at", JF_ENUM, 0, 0, 0, offsetof(struct conf, at), at_names },
	{ "how", JF_ENUM, 0, 0, 0, offsetof(struct conf, how), how_names },
	{ "spread", JF_INT, 0, 0, EVENTS_MAX, offsetof(struct conf, spread),
	    NULL },
};

struct cut {
	struct stage stage;
	int64_t events, bytes; /* passed so far */
	int64_t more;          /* the draw of spread */
	bool is_cut, is_off;
	bool has_finished; /* the finish reason has passed */
	const struct dialect *dialect;
};

static void
defaults(void *conf)
{
	struct conf *c = conf;

	c->after_events = c->after_bytes = -1;
	c->at = -1;
	c->how = HOW_CLEAN;
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;

	if ((c->after_events >= 0) + (c->after_bytes >= 0) + (c->at >= 0) == 1)
		return ERR_OK;
	return why_set(why, ERR_SYNTAX,
	    "%s: expected exactly one of after_events, after_bytes and at",
	    pointer);
}

static bool
has_finish(const struct cut *k, const struct item *it)
{
	return dialect_has_finish(k->dialect, it->data);
}

static bool
has_args(const struct cut *k, const struct item *it)
{
	struct jspan at;

	/* A call begins with empty arguments, "", which cannot be cut
	 * inside. */
	return dialect_hit(k->dialect, it->data, DIALECT_ARGS, &at) && at.n > 2;
}

/* Is the place to cut before this item, or inside it? */
static bool
is_here(const struct cut *k, const struct conf *c, const struct item *it)
{
	if (c->after_bytes >= 0)
		return k->bytes + (int64_t)it->raw.n > c->after_bytes + k->more;
	if (it->kind != ITEM_EVENT || it->data.n == 0)
		return false;
	if (c->at == AT_TOOL_ARGS)
		return has_args(k, it);
	if (c->at == AT_BEFORE_FINISH)
		return has_finish(k, it);
	if (c->at == AT_AFTER_FINISH)
		return k->has_finished;
	return k->events >= c->after_events + k->more;
}

/* The event with the first half of its piece of the arguments; of arguments
 * that are no text, nothing. */
static void
half_of_args(const struct cut *k, const struct item *it, struct buf *out)
{
	const char *data = memmem(it->raw.p, it->raw.n, it->data.p, it->data.n);
	struct splices edits = { .n = 0 };
	struct jspan at;
	struct jtext args;

	if (!data || !dialect_hit(k->dialect, it->data, DIALECT_ARGS, &at) ||
	    !edit_span_text(it->data, at, &args))
		return;
	edit_span_string(&edits, at, (struct slice){ args.p, args.n / 2 });
	buf_add(out, it->raw.p, (size_t)(data - it->raw.p));
	splices_apply(&edits, it->data, out);
	buf_add(out, data + it->data.n,
	    (size_t)(it->raw.p + it->raw.n - data) - it->data.n);
	splices_done(&edits);
	jtext_done(&args);
}

/* What still leaves of the item at the cut. */
static void
first_part(const struct cut *k, const struct conf *c, const struct item *it,
    struct buf *out)
{
	if (c->after_bytes >= 0)
		buf_add(out, it->raw.p,
		    (size_t)(c->after_bytes + k->more - k->bytes));
	else if (c->at == AT_TOOL_ARGS)
		half_of_args(k, it, out);
}

/* False: it may not act. */
static bool
cut_here(struct cut *k, const struct conf *c, const struct item *it)
{
	struct item part = { .kind = ITEM_BYTES };
	struct item last = { .kind = ITEM_BYTES,
		.raw = slice_of(k->dialect->error_event) };
	struct item end = { .kind = ITEM_END, .end = how_ends[c->how] };
	struct buf first;
	json_int_t bytes = k->bytes;

	buf_init(&first, PART_MAX);
	first_part(k, c, it, &first);
	part.raw = (struct slice){ first.data, first.len };
	bytes += (json_int_t)part.raw.n;
	k->is_cut = shot_fire(k->stage.shot,
	    json_pack("{sI sI ss}", "events", (json_int_t)k->events, "bytes",
	        bytes, "how", how_names[c->how]));
	k->is_off = !k->is_cut;
	if (k->is_cut) {
		/* Before anything is sent: it might say more, or pause, from
		 * inside those calls. */
		exchange_stop_source(k->stage.exchange);
		if (part.raw.n)
			stage_pass(&k->stage, &part);
		if (c->how == HOW_ERROR_EVENT)
			stage_pass(&k->stage, &last);
		stage_pass(&k->stage, &end);
	}
	buf_done(&first);
	return k->is_cut;
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct cut *k = (struct cut *)st;
	const struct conf *c = shot_conf(st->shot);
	bool is_body = it->kind == ITEM_EVENT || it->kind == ITEM_BYTES;

	if (k->is_cut)
		return;
	if (is_body && !k->is_off && is_here(k, c, it) && cut_here(k, c, it))
		return;
	if (is_body) {
		k->bytes += (int64_t)it->raw.n;
		k->events += it->kind == ITEM_EVENT && it->data.n > 0;
		k->has_finished |= has_finish(k, it);
	}
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
	const struct conf *c = shot_conf(s);
	struct cut *k;

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	k->dialect = facts_dialect(exchange_facts(x));
	if (!k->dialect)
		k->dialect = &dialect_chat;
	shot_expect(s, "the stream ended before the cut");
	k->more = (int64_t)shot_between(s, "spread", 0, (uint64_t)c->spread);
	return &k->stage;
}

const struct fault_type fault_sse_cut = {
	.name = "sse_cut",
	.about = "an event stream ends early",
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.schema = "{\"oneOf\":[{\"required\":[\"after_events\"]},{\"required\":"
	          "[\"after_bytes\"]},{\"required\":[\"at\"]}]}",
	.on_answer = on_answer,
};
