/*
 * An answer on its way to the client is a sequence of items that flows
 * through stages, each put there by a fault, into the sink (sink.h):
 *
 *	HEAD  (EVENT | BYTES)*  END
 *
 * EVENT is one block of an event stream with its blank line, BYTES is body of
 * anything else (or a torn block at the end of a stream).  The head itself is
 * the exchange's and may be edited until HEAD has passed.
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

enum item_kind { ITEM_HEAD, ITEM_EVENT, ITEM_BYTES, ITEM_END };

enum item_end {
	ITEM_END_CLEAN, /* framed as complete */
	ITEM_END_FIN,   /* the connection is closed, nothing more */
	ITEM_END_RST,   /* the connection is reset */
};

struct item {
	enum item_kind kind;
	struct slice raw;  /* EVENT, BYTES */
	struct slice data; /* EVENT: its data, empty for comments */
	enum item_end end; /* END */
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
};

static inline void
stage_pass(struct stage *st, const struct item *it)
{
	st->next->ops->on_item(st->next, it);
}

#endif
