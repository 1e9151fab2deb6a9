/*
 * ws_garble{at,spread,how,from}: one text message of a WebSocket is another
 * than was sent; its length stays.
 *
 *	how letter  a letter or digit at a drawn place is the next one
 *	how syntax  its first byte is "}", which no JSON begins with
 *	how utf8    a byte at a drawn place is none of UTF-8
 *
 * The place is drawn in the message's first frame.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/faults/wsstage.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define MESSAGES_MAX 1e6
#define NO_UTF8      0xff

enum how { HOW_LETTER, HOW_SYNTAX, HOW_UTF8 };

static const char *const how_names[] = { "letter", "syntax", "utf8", NULL };

struct conf {
	int64_t at, spread;
	int how, from;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "at",     JF_INT,  0, 1, MESSAGES_MAX, offsetof(struct conf, at),     NULL },
	{ "from",   JF_ENUM, 0, 0, 0,            offsetof(struct conf, from),   wsstage_from_names },
	{ "how",    JF_ENUM, 0, 0, 0,            offsetof(struct conf, how),    how_names },
	{ "spread", JF_INT,  0, 0, MESSAGES_MAX, offsetof(struct conf, spread), NULL },
};
/* clang-format on */

struct garble {
	struct wsstage ws;
	uint64_t place; /* in the frame's payload, at the earliest */
	bool is_due;
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->at = 1;
}

static void
on_frame(struct wsstage *w)
{
	struct garble *k = (struct garble *)w;
	const struct conf *c = shot_conf(w->stage.shot);
	const struct wsframe_reader *r = &w->reader;

	if (!wsstage_is_target(w))
		return;
	if (r->opcode != WSFRAME_TEXT || r->bytes == 0) {
		w->is_over = true;
		shot_bypass(w->stage.shot, "not a text message");
		return;
	}
	k->is_due = true;
	k->place = c->how == HOW_SYNTAX
	    ? 0
	    : shot_between(w->stage.shot, "place", 0, r->bytes - 1);
}

/* A letter's next one; 0: it is none. */
static unsigned char
next_letter(unsigned char b)
{
	if (!isalnum(b))
		return 0;
	return isalnum(b + 1) ? (unsigned char)(b + 1) : (unsigned char)(b - 1);
}

static unsigned char
other_byte(int how, unsigned char b)
{
	if (how == HOW_LETTER)
		return next_letter(b);
	return how == HOW_SYNTAX ? '}' : NO_UTF8;
}

/* The byte at p[i] as it is to be seen; false: not this one. */
static bool
edit(struct garble *k, const char *p, size_t i, char *ret)
{
	const struct conf *c = shot_conf(k->ws.stage.shot);
	const struct wsframe_reader *r = &k->ws.reader;
	uint64_t at = r->at + i;
	unsigned char to =
	    other_byte(c->how, wsframe_mask(r, (unsigned char)p[i], at));

	if (at < k->place || !to)
		return false;
	k->is_due = false;
	k->ws.is_over = true;
	*ret = (char)wsframe_mask(r, to, at);
	return shot_fire(k->ws.stage.shot,
	    json_pack("{sI sI ss ss}", "message", (json_int_t)r->message,
	        "byte", (json_int_t)at, "how", how_names[c->how], "from",
	        wsstage_from_names[c->from]));
}

static void
on_payload(struct wsstage *w, const char *p, size_t n)
{
	struct garble *k = (struct garble *)w;
	bool is_hit = false;
	char byte = 0;
	size_t i = 0;

	while (k->is_due && i < n && !is_hit) {
		is_hit = edit(k, p, i, &byte);
		i += !is_hit;
	}
	if (!is_hit) {
		wsstage_put(w, p, n);
		return;
	}
	wsstage_put(w, p, i);
	wsstage_put(w, &byte, 1);
	wsstage_put(w, p + i + 1, n - i - 1);
}

static void
on_frame_end(struct wsstage *w)
{
	struct garble *k = (struct garble *)w;

	if (!k->is_due)
		return;
	w->is_over = true;
	shot_bypass(w->stage.shot, "no letter behind the drawn place");
}

static const struct wsstage_ops ops = {
	.on_frame = on_frame,
	.on_payload = on_payload,
	.on_frame_end = on_frame_end,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct garble *k = xcalloc(1, sizeof *k);

	(void)x;
	wsstage_aim(&k->ws, &ops, s,
	    &(struct wsstage_target){ c->from, c->at, c->spread });
	return &k->ws.stage;
}

const struct fault_type fault_ws_garble = {
	.name = "ws_garble",
	.about = "a text message of a WebSocket that is not what was sent",
	FAULT_CONF,
	.defaults = defaults,
	.is_websocket = true,
	.on_answer = on_answer,
};
