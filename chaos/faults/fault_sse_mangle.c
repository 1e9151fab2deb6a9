/*
 * sse_mangle{how,at,bytes}: a stream whose framing or order is broken at
 * event number `at` from 0, which is drawn among the first ones when it is
 * not said.
 *
 *	dup            it comes twice
 *	drop           it does not come
 *	swap           the next one comes before it, and the comments between
 *	bad_json       its last byte is missing
 *	no_blank       the blank line after it is missing: it runs into the next
 *	crlf           from it on, lines end in CR LF
 *	unknown_event  an event of a type nobody asked for comes before it
 *	oversize       its data is padded with blanks to more than `bytes`
 *
 * A kind is a row of the table below: what it makes of the event.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "chaos/http/exchange.h"
#include "chaos/http/stage.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define EVENTS_MAX 1000000
#define DRAWN_MAX  7
#define BLOCK_MAX  ((size_t)32 << 20)
#define PAD_MAX    16777216

enum how {
	BAD_JSON,
	CRLF,
	DROP,
	DUP,
	NO_BLANK,
	OVERSIZE,
	SWAP,
	UNKNOWN_EVENT,
	NHOWS
};

struct conf {
	int how;
	int64_t at, bytes; /* at -1: drawn */
};

struct mangle {
	struct stage stage;
	int64_t at, events; /* the place; passed so far */
	struct buf held;    /* swap: the event that waits, and its comments */
	size_t nheld;       /* the event itself */
	bool is_off, is_crlf;
};

typedef void mangler(struct mangle *k, const struct item *it, struct buf *out);
static mangler bad_json, crlf, drop, dup_event, no_blank, oversize, swap,
    unknown_event;

static const char *const how_names[] = {
	[BAD_JSON] = "bad_json",
	[CRLF] = "crlf",
	[DROP] = "drop",
	[DUP] = "dup",
	[NO_BLANK] = "no_blank",
	[OVERSIZE] = "oversize",
	[SWAP] = "swap",
	[UNKNOWN_EVENT] = "unknown_event",
	[NHOWS] = NULL,
};

static mangler *const manglers[NHOWS] = {
	[BAD_JSON] = bad_json,
	[CRLF] = crlf,
	[DROP] = drop,
	[DUP] = dup_event,
	[NO_BLANK] = no_blank,
	[OVERSIZE] = oversize,
	[SWAP] = swap,
	[UNKNOWN_EVENT] = unknown_event,
};

/* Why it is bypassed, where more than the event may be missing. */
static const char *const reasons[NHOWS] = {
	[CRLF] = "no line from that event on that ends in LF alone",
	[OVERSIZE] = "no such event, or its data stands in several lines",
	[SWAP] = "no event behind that one that would be another",
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "at",    JF_INT,  0,           0, EVENTS_MAX, offsetof(struct conf, at),    NULL },
	{ "bytes", JF_INT,  0,           1, PAD_MAX,    offsetof(struct conf, bytes), NULL },
	{ "how",   JF_ENUM, JF_REQUIRED, 0, 0,          offsetof(struct conf, how),   how_names },
};
/* clang-format on */

static void
defaults(void *conf)
{
	struct conf *c = conf;

	c->at = -1;
	c->bytes = 1 << 20;
}

/* ---- the kinds: what leaves in the place of the event goes into out */

static void
add(struct buf *out, struct slice s)
{
	buf_add(out, s.p, s.n);
}

static void
dup_event(struct mangle *k, const struct item *it, struct buf *out)
{
	(void)k;
	add(out, it->raw);
	add(out, it->raw);
}

static void
drop(struct mangle *k, const struct item *it, struct buf *out)
{
	(void)k;
	(void)it;
	(void)out;
}

/* Here it is the event behind that one. */
static void
swap(struct mangle *k, const struct item *it, struct buf *out)
{
	add(out, it->raw);
	add(out, (struct slice){ k->held.data, k->held.len });
}

/* Where the event's last line ends, before the line's own end. */
static size_t
end_of_text(struct slice raw)
{
	while (raw.n && (raw.p[raw.n - 1] == '\n' || raw.p[raw.n - 1] == '\r'))
		raw.n--;
	return raw.n;
}

static void
bad_json(struct mangle *k, const struct item *it, struct buf *out)
{
	size_t n = end_of_text(it->raw);

	(void)k;
	buf_add(out, it->raw.p, n ? n - 1 : 0);
	buf_add(out, it->raw.p + n, it->raw.n - n);
}

static void
no_blank(struct mangle *k, const struct item *it, struct buf *out)
{
	(void)k;
	buf_add(out, it->raw.p, end_of_text(it->raw));
	buf_addc(out, '\n');
}

static void
with_crlf(struct slice raw, struct buf *out)
{
	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] == '\n' && (i == 0 || raw.p[i - 1] != '\r'))
			buf_addc(out, '\r');
		buf_addc(out, raw.p[i]);
	}
}

static void
crlf(struct mangle *k, const struct item *it, struct buf *out)
{
	(void)k;
	with_crlf(it->raw, out);
}

static void
unknown_event(struct mangle *k, const struct item *it, struct buf *out)
{
	(void)k;
	buf_adds(out,
	    "event: telemetry\ndata: {\"type\":\"telemetry\","
	    "\"load\":0.71}\n\n");
	add(out, it->raw);
}

/* Blanks between "data:" and the JSON change nothing that it says. */
static void
oversize(struct mangle *k, const struct item *it, struct buf *out)
{
	const struct conf *c = shot_conf(k->stage.shot);
	const char *at = memmem(it->raw.p, it->raw.n, it->data.p, it->data.n);
	size_t before = at ? (size_t)(at - it->raw.p) : 0;
	char *pad = xmalloc((size_t)c->bytes);

	memset(pad, ' ', (size_t)c->bytes);
	buf_add(out, it->raw.p, before);
	if (at)
		buf_add(out, pad, (size_t)c->bytes);
	buf_add(out, it->raw.p + before, it->raw.n - before);
	free(pad);
}

/* ---- the stage */

static void
pass_bytes(struct mangle *k, struct slice raw)
{
	struct item it = { .kind = ITEM_BYTES, .raw = raw };

	if (raw.n)
		stage_pass(&k->stage, &it);
}

/* What comes later in the stream. */
static void
pass_on(struct mangle *k, const struct item *it)
{
	struct buf out;

	if (!k->is_crlf) {
		stage_pass(&k->stage, it);
		return;
	}
	buf_init(&out, BLOCK_MAX);
	with_crlf(it->raw, &out);
	pass_bytes(k, (struct slice){ out.data, out.len });
	buf_done(&out);
}

/* What was held leaves in its old place. */
static void
release_held(struct mangle *k)
{
	pass_bytes(k, (struct slice){ k->held.data, k->held.len });
	buf_clear(&k->held);
}

/* Is it what would have left without us?  A fault that changes no byte has not
 * fired, whatever it meant to do. */
static bool
is_unchanged(const struct mangle *k, const struct item *it,
    const struct buf *out)
{
	size_t n = k->held.len;

	return out->len == n + it->raw.n &&
	    (n == 0 || memcmp(out->data, k->held.data, n) == 0) &&
	    memcmp(out->data + n, it->raw.p, it->raw.n) == 0;
}

static void
mangle_here(struct mangle *k, const struct conf *c, const struct item *it)
{
	bool is_same;
	struct buf out;

	buf_init(&out, BLOCK_MAX);
	manglers[c->how](k, it, &out);
	is_same = is_unchanged(k, it, &out);
	k->is_off = !is_same &&
	    !shot_fire(k->stage.shot,
	        json_pack("{ss sI}", "how", how_names[c->how], "at",
	            (json_int_t)(k->events - (c->how == SWAP))));
	if (is_same || k->is_off) {
		release_held(k);
		stage_pass(&k->stage, it);
	} else {
		k->is_crlf = c->how == CRLF;
		buf_clear(&k->held);
		pass_bytes(k, (struct slice){ out.data, out.len });
	}
	buf_done(&out);
}

/* Does the fault act on this event? */
static bool
is_here(const struct mangle *k, const struct conf *c)
{
	if (k->is_off || k->stage.shot->is_reported)
		return false;
	if (c->how == SWAP)
		return k->nheld > 0;
	return c->how == CRLF ? k->events >= k->at : k->events == k->at;
}

static void
on_event(struct mangle *k, const struct item *it)
{
	const struct conf *c = shot_conf(k->stage.shot);

	if (is_here(k, c)) {
		mangle_here(k, c, it);
		k->nheld = 0;
	} else if (c->how == SWAP && k->events == k->at) {
		add(&k->held, it->raw);
		k->nheld = it->raw.n;
	} else {
		pass_on(k, it);
	}
	k->events++;
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct mangle *k = (struct mangle *)st;

	if (it->kind == ITEM_EVENT && it->data.n > 0) {
		on_event(k, it);
		return;
	}
	/* Nothing overtakes what waits: there may be no next event. */
	if (k->nheld && it->raw.n) {
		add(&k->held, it->raw);
		return;
	}
	if (it->kind == ITEM_END)
		release_held(k);
	if (it->raw.n)
		pass_on(k, it);
	else
		stage_pass(st, it);
}

static void
mangle_free(struct stage *st)
{
	struct mangle *k = (struct mangle *)st;

	buf_done(&k->held);
	free(k);
}

static const struct stage_ops ops = { on_item, mangle_free };

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct mangle *k;

	if (!exchange_answer(x)->is_stream) {
		shot_bypass(s, "not an event stream");
		return NULL;
	}
	if (exchange_answer(x)->is_lines &&
	    (c->how == NO_BLANK || c->how == UNKNOWN_EVENT)) {
		shot_bypass(s,
		    "lines have no names and no blanks between them");
		return NULL;
	}
	k = xcalloc(1, sizeof *k);
	k->stage.ops = &ops;
	k->at =
	    c->at >= 0 ? c->at : (int64_t)shot_between(s, "at", 0, DRAWN_MAX);
	buf_init(&k->held, BLOCK_MAX);
	shot_expect(s,
	    reasons[c->how] ? reasons[c->how]
	                    : "the stream ended before that event");
	return &k->stage;
}

const struct fault_type fault_sse_mangle = {
	.name = "sse_mangle",
	.about = "a stream broken in framing or order at one event",
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
