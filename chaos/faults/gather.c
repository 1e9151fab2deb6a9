/*
 * A buffer and a flag.
 */
#include "chaos/faults/gather.h"

#include "chaos/faults/heldstream.h"

void
gather_init(struct gather *g)
{
	*g = (struct gather){ .is_open = false };
	buf_init(&g->body, HELD_BYTES_MAX);
}

void
gather_done(struct gather *g)
{
	buf_done(&g->body);
}

enum gathered
gather_add(struct gather *g, const struct item *it)
{
	if (it->kind == ITEM_END)
		return GATHER_END;
	if (it->kind != ITEM_HEAD &&
	    buf_add(&g->body, it->raw.p, it->raw.n) != ERR_OK)
		return GATHER_TOO_LONG;
	return GATHER_HELD;
}

struct slice
gather_body(const struct gather *g)
{
	return (struct slice){ g->body.data, g->body.len };
}

void
gather_release(struct gather *g, struct stage *st, struct slice body)
{
	struct item head = { .kind = ITEM_HEAD };
	struct item bytes = { .kind = ITEM_BYTES, .raw = body };

	g->is_open = true;
	stage_pass(st, &head);
	if (body.n)
		stage_pass(st, &bytes);
}
