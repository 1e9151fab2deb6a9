/*
 * ws_cut{after_messages,spread,bytes,how,code,from}: a WebSocket that ends in
 * the middle of the message behind so many: after so many bytes of its first
 * frame's payload (without `bytes`: half), always before the last one.
 *
 *	how fin, rst  the connection ends there
 *	how close     a Close frame with that code in the message's place
 *
 * Codes are those that an endpoint may send (RFC 6455, 7.4): 1005, 1006 and
 * 1015 say that there was none, and the rest below 3000 is not given out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/faults/wsstage.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define MESSAGES_MAX 1e6
#define BYTES_MAX    1e9
#define CODE_MIN     1000
#define CODE_MAX     4999
#define CODE_DEFAULT 1011 /* an unexpected condition (RFC 6455, 7.4.1) */

enum how { HOW_FIN, HOW_RST, HOW_CLOSE };

static const char *const how_names[] = { "fin", "rst", "close", NULL };

struct conf {
	int64_t after, spread, bytes, code;
	int how, from;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "after_messages", JF_INT,  0, 0, MESSAGES_MAX, offsetof(struct conf, after),  NULL },
	{ "bytes",          JF_INT,  0, 0, BYTES_MAX,    offsetof(struct conf, bytes),  NULL },
	{ "code",           JF_INT,  0, CODE_MIN, CODE_MAX, offsetof(struct conf, code), NULL },
	{ "from",           JF_ENUM, 0, 0, 0,            offsetof(struct conf, from),   wsstage_from_names },
	{ "how",            JF_ENUM, 0, 0, 0,            offsetof(struct conf, how),    how_names },
	{ "spread",         JF_INT,  0, 0, MESSAGES_MAX, offsetof(struct conf, spread), NULL },
};
/* clang-format on */

struct cut {
	struct wsstage ws;
	bool is_due;   /* inside the frame that is cut */
	uint64_t left; /* of its payload */
};

static void
defaults(void *conf)
{
	*(struct conf *)conf =
	    (struct conf){ .bytes = -1, .code = CODE_DEFAULT };
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;

	if (c->code >= 3000 || (c->code >= 1007 && c->code <= 1014) ||
	    c->code <= 1003)
		return ERR_OK;
	return why_set(why, ERR_SYNTAX,
	    "%s/code: %" PRId64 " is in no Close frame (RFC 6455, 7.4): "
	    "expected 1000 to 1003, 1007 to 1014 or 3000 to 4999",
	    pointer, c->code);
}

static bool
fire(struct cut *k)
{
	const struct conf *c = shot_conf(k->ws.stage.shot);
	json_t *detail =
	    json_pack("{sI ss ss}", "message", (json_int_t)k->ws.reader.message,
	        "how", how_names[c->how], "from", wsstage_from_names[c->from]);

	json_object_set_new(detail, c->how == HOW_CLOSE ? "code" : "bytes",
	    json_integer(c->how == HOW_CLOSE ? c->code : (json_int_t)k->left));
	return shot_fire(k->ws.stage.shot, detail);
}

static void
end(struct cut *k)
{
	const struct conf *c = shot_conf(k->ws.stage.shot);

	wsstage_end(&k->ws, c->how == HOW_RST ? ITEM_END_RST : ITEM_END_FIN);
}

static void
on_frame(struct wsstage *w)
{
	struct cut *k = (struct cut *)w;
	const struct conf *c = shot_conf(w->stage.shot);
	const struct wsframe_reader *r = &w->reader;

	if (!wsstage_is_target(w))
		return;
	k->left = c->bytes < 0 ? r->bytes / 2 : (uint64_t)c->bytes;
	if (k->left >= r->bytes)
		k->left = r->bytes ? r->bytes - 1 : 0;
	if (!fire(k))
		w->is_over = true;
	else if (c->how == HOW_CLOSE)
		wsstage_close(w, (unsigned)c->code);
	else
		k->is_due = true;
}

static void
on_payload(struct wsstage *w, const char *p, size_t n)
{
	struct cut *k = (struct cut *)w;
	size_t some = k->is_due && k->left < n ? (size_t)k->left : n;

	wsstage_put(w, p, some);
	k->left -= k->is_due ? some : 0;
	if (k->is_due && some < n)
		end(k);
}

/* Of an empty payload nothing can be kept back but its end. */
static void
on_frame_end(struct wsstage *w)
{
	struct cut *k = (struct cut *)w;

	if (k->is_due)
		end(k);
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
	struct cut *k = xcalloc(1, sizeof *k);

	(void)x;
	wsstage_aim(&k->ws, &ops, s,
	    &(struct wsstage_target){ c->from, c->after + 1, c->spread });
	return &k->ws.stage;
}

const struct fault_type fault_ws_cut = {
	.name = "ws_cut",
	.about = "a WebSocket that ends in the middle of a message",
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.is_websocket = true,
	.on_answer = on_answer,
};
