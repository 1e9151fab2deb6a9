/*
 * A whole answer that is held until its end is there, because its length must
 * be known before its head leaves; up to a cap.
 */
#ifndef CHAOS_WHOLE_BODY_H
#define CHAOS_WHOLE_BODY_H

#include "base/buf.h"
#include "chaos/http/stage.h"
#include "chaos/rules/engine.h"

struct whole_body {
	struct buf body;
	struct whole_body_note {
		struct shot *shot; /* borrowed */
		size_t at;
	} notes[SHOTS_MAX]; /* that came among the bytes */
	size_t nnotes;
	bool is_open; /* the answer was released: items pass */
};

enum whole_body_state {
	WHOLE_BODY_HELD,
	WHOLE_BODY_TOO_LONG, /* not taken: release what there is, then pass it
	                      */
	WHOLE_BODY_END,      /* all is there, or all that came */
};

void whole_body_init(struct whole_body *g);
void whole_body_done(struct whole_body *g);
/* Only while it is not open. */
enum whole_body_state whole_body_add(struct whole_body *g,
    const struct item *it);
struct slice whole_body_bytes(const struct whole_body *g);
/* Head and body leave st, and the notes, each behind the bytes it came with;
 * st's own behind the last byte by which body is another than what came. */
void whole_body_release(struct whole_body *g, struct stage *st,
    struct slice body);

#endif
