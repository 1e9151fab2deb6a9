/*
 * An answer on its way to the client is a sequence of items that flows
 * through stages, each put there by a fault, into the sink (answer_sink.h):
 *
 *	HEAD  (EVENT | BYTES | NOTE)*  END
 *
 * EVENT is one block of an event stream with its blank line, BYTES is body of
 * anything else (or a torn block at the end of a stream).  The head itself is
 * the exchange's and may be edited until HEAD has passed.
 *
 * A NOTE has no bytes: it stands behind those that a fault has changed, and
 * when it leaves they have (engine.h).  A stage that keeps items keeps notes
 * in their place among them; stage_pass() puts the stage's own where it is.
 *
 * A stage may change, drop, add and delay items; it passes END exactly once,
 * last.  Items are borrowed for the call.
 */
#ifndef CHAOS_STAGE_H
#define CHAOS_STAGE_H

#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct exchange;
struct shot;
struct stage;

enum item_kind { ITEM_HEAD, ITEM_EVENT, ITEM_BYTES, ITEM_NOTE, ITEM_END };

enum item_end {
	ITEM_END_CLEAN, /* framed as complete */
	ITEM_END_FIN,   /* the connection is closed, nothing more */
	ITEM_END_RST,   /* the connection is reset */
	ITEM_END_CLOSE, /* a WebSocket's Close frame stands before it */
};

struct item {
	enum item_kind kind;
	struct slice raw;  /* EVENT, BYTES */
	struct slice data; /* EVENT: its data, empty for comments */
	enum item_end end; /* END */
	struct shot *shot; /* NOTE; borrowed from the exchange */
};

struct stage_ops {
	void (*on_item)(struct stage *st, const struct item *it);
	void (*free)(struct stage *st);
};

/* Embedded first in each stage's own struct. */
struct stage {
	const struct stage_ops *ops;
	struct stage *next; /* borrowed: the chain belongs to the exchange */
	struct exchange *exchange; /* borrowed */
	struct shot *shot;         /* borrowed; NULL for the sink */
	bool hears_client;         /* it stands on the other way
	                              (websocket_client_side.h) */
};

/* Passes the item; when the stage's own fault has spoken its note follows, or
 * goes before an END. */
void stage_pass(struct stage *st, const struct item *it);
/* Passes the item alone. */
void stage_forward(struct stage *st, const struct item *it);
/* The fault acts here and now, whatever passes later (a silence). */
void stage_note(struct stage *st);
/* The stage's own note, for it to put in its place; false: none is due, or it
 * is on its way. */
bool stage_take_note(struct stage *st, struct item *ret);

#endif
