/*
 * sse_mangle{how,at}: one event of a stream, number `at` from 0 (drawn among
 * the first ones when not said), is broken.  A way is a row of the table
 * below.
 *
 * `swap` needs the event after it; a stream that ends first leaves the event
 * where it was and is logged as bypassed.
 */
#include "chaos/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "chaos/engine.h"
#include "chaos/exchange.h"

#define AT_MAX        1000000
#define DRAWN_MAX     8
#define OVERSIZE      (1u << 20)
#define MANGLED_MAX   ((size_t)8 << 20)
#define UNKNOWN_EVENT "event: x-unknown\n"

typedef void mangler(struct slice raw, struct buf *out);

static mangler bad_json, crlf, drop, dup, no_blank, oversize, unknown_event;

enum how {
	HOW_BAD_JSON,
	HOW_CRLF,
	HOW_DROP,
	HOW_DUP,
	HOW_NO_BLANK,
	HOW_OVERSIZE,
	HOW_SWAP,
	HOW_UNKNOWN_EVENT,
	HOW_NHOWS
};

static const char *const how_names[] = { [HOW_BAD_JSON] = "bad_json",
	[HOW_CRLF] = "crlf",
	[HOW_DROP] = "drop",
	[HOW_DUP] = "dup",
	[HOW_NO_BLANK] = "no_blank",
	[HOW_OVERSIZE] = "oversize",
	[HOW_SWAP] = "swap",
	[HOW_UNKNOWN_EVENT] = "unknown_event",
	[HOW_NHOWS] = NULL };

static mangler *const manglers[HOW_NHOWS] = {
	[HOW_BAD_JSON] = bad_json,
	[HOW_CRLF] = crlf,
	[HOW_DROP] = drop,
	[HOW_DUP] = dup,
	[HOW_NO_BLANK] = no_blank,
	[HOW_OVERSIZE] = oversize,
	[HOW_SWAP] = NULL, /* needs two events: see on_item */
	[HOW_UNKNOWN_EVENT] = unknown_event,
};

struct conf {
	int how;
	int64_t at; /* -1: drawn */
};

static const struct jfield fields[] = {
	{ "at", JF_INT, 0, 0, AT_MAX, offsetof(struct conf, at), NULL },
	{ "how", JF_ENUM, JF_REQUIRED, 0, 0, offsetof(struct conf, how),
	    how_names },
};

struct mangle {
	struct stage stage;
	int64_t at, events;
	bool is_done;
	struct buf waiting; /* swap: the event that comes second */
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->at = -1;
}

/* ---- the ways */

static void
bad_json(struct slice raw, struct buf *out)
{
	size_t end = raw.n;

	while (end > 0 && strchr("}\r\n", raw.p[end - 1]))
		end--;
	buf_add(out, raw.p, end);
	buf_adds(out, "\n\n");
}

static void
crlf(struct slice raw, struct buf *out)
{
	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] == '\n' && (i == 0 || raw.p[i - 1] != '\r'))
			buf_addc(out, '\r');
		buf_addc(out, raw.p[i]);
	}
}

static void
drop(struct slice raw, struct buf *out)
{
	(void)raw;
	(void)out;
}

static void
dup(struct slice raw, struct buf *out)
{
	buf_add(out, raw.p, raw.n);
	buf_add(out, raw.p, raw.n);
}

static void
no_blank(struct slice raw, struct buf *out)
{
	buf_add(out, raw.p, raw.n ? raw.n - 1 : 0);
}

static void
oversize(struct slice raw, struct buf *out)
{
	buf_addc(out, ':');
	for (size_t i = 0; i < OVERSIZE; i++)
		buf_addc(out, ' ');
	buf_adds(out, "\n");
	buf_add(out, raw.p, raw.n);
}

static void
unknown_event(struct slice raw, struct buf *out)
{
	buf_adds(out, UNKNOWN_EVENT);
	buf_add(out, raw.p, raw.n);
}

/* ---- the stage */

static bool
fire(struct mangle *m, const struct conf *c)
{
	m->is_done = true;
	return shot_fire(m->stage.shot,
	    json_pack("{ss sI}", "how", how_names[c->how], "event",
	        (json_int_t)m->at));
}

static void
pass_bytes(struct mangle *m, struct slice raw)
{
	struct item it = { .kind = ITEM_BYTES, .raw = raw };

	if (raw.n)
		stage_pass(&m->stage, &it);
}

/* The event that was asked for is here. */
static void
mangle_event(struct mangle *m, const struct conf *c, const struct item *it)
{
	struct buf out;

	if (c->how == HOW_SWAP) {
		buf_add(&m->waiting, it->raw.p, it->raw.n);
		return;
	}
	if (!fire(m, c)) {
		stage_pass(&m->stage, it);
		return;
	}
	buf_init(&out, MANGLED_MAX);
	manglers[c->how](it->raw, &out);
	pass_bytes(m, (struct slice){ out.data, out.len });
	buf_done(&out);
}

/* Something follows the event that waits for its successor. */
static void
release_waiting(struct mangle *m, const struct conf *c, const struct item *it)
{
	struct slice first = { m->waiting.data, m->waiting.len };
	bool is_swapped = it->kind == ITEM_EVENT && fire(m, c);

	if (is_swapped)
		stage_pass(&m->stage, it);
	pass_bytes(m, first);
	buf_clear(&m->waiting);
	if (!is_swapped)
		stage_pass(&m->stage, it);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct mangle *m = (struct mangle *)st;
	const struct conf *c = shot_conf(st->shot);
	bool is_event = it->kind == ITEM_EVENT && it->data.n > 0;

	if (m->waiting.len && (is_event || it->kind == ITEM_END)) {
		release_waiting(m, c, it);
		return;
	}
	if (is_event && !m->is_done && m->events++ == m->at) {
		mangle_event(m, c, it);
		return;
	}
	stage_pass(st, it);
}

static void
mangle_free(struct stage *st)
{
	struct mangle *m = (struct mangle *)st;

	buf_done(&m->waiting);
	free(m);
}

static const struct stage_ops ops = { on_item, mangle_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct mangle *m;

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	m = xcalloc(1, sizeof *m);
	m->stage.ops = &ops;
	m->at = c->at >= 0 ? c->at
	                   : (int64_t)shot_between(s, "at", 0, DRAWN_MAX - 1);
	buf_init(&m->waiting, MANGLED_MAX);
	return &m->stage;
}

const struct fault_type fault_sse_mangle = {
	.name = "sse_mangle",
	.about = "one event of a stream is broken",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.defaults = defaults,
	.check = NULL,
	.on_answer = on_answer,
};
