/*
 * A whole answer that is held until its end is there, because its length must
 * be known before its head leaves; up to a cap.
 */
#ifndef CHAOS_GATHER_H
#define CHAOS_GATHER_H

#include "base/buf.h"
#include "chaos/http/stage.h"
#include "chaos/rules/engine.h"

struct gather {
	struct buf body;
	struct gather_note {
		struct shot *shot; /* borrowed */
		size_t at;
	} notes[SHOTS_MAX]; /* that came among the bytes */
	size_t nnotes;
	bool is_open; /* the answer was released: items pass */
};

enum gathered {
	GATHER_HELD,
	GATHER_TOO_LONG, /* not taken: release what there is, then pass it */
	GATHER_END,      /* all is there, or all that came */
};

void gather_init(struct gather *g);
void gather_done(struct gather *g);
/* Only while it is not open. */
enum gathered gather_add(struct gather *g, const struct item *it);
struct slice gather_body(const struct gather *g);
/* Head and body leave st, and the notes, each behind the bytes it came with;
 * st's own behind the last byte by which body is another than what came. */
void gather_release(struct gather *g, struct stage *st, struct slice body);

#endif
