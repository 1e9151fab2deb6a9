/*
 * A buffer and a flag.  The notes of other faults are kept with the offset they
 * came at.  When the text was edited meanwhile, one before the edit stays where
 * it was, one inside moves behind it, one after it keeps its distance from the
 * end: a note says what happened to the bytes in front of it.
 */
#include "chaos/faults/whole_body.h"

#include "chaos/faults/heldstream.h"

void
whole_body_init(struct whole_body *g)
{
	*g = (struct whole_body){ .is_open = false };
	buf_init(&g->body, HELD_BYTES_MAX);
}

void
whole_body_done(struct whole_body *g)
{
	buf_done(&g->body);
}

enum whole_body_state
whole_body_add(struct whole_body *g, const struct item *it)
{
	if (it->kind == ITEM_END)
		return WHOLE_BODY_END;
	if (it->kind == ITEM_NOTE)
		g->notes[g->nnotes++] =
		    (struct whole_body_note){ it->shot, g->body.len };
	if (it->raw.n && buf_add(&g->body, it->raw.p, it->raw.n) != ERR_OK)
		return WHOLE_BODY_TOO_LONG;
	return WHOLE_BODY_HELD;
}

struct slice
whole_body_bytes(const struct whole_body *g)
{
	return (struct slice){ g->body.data, g->body.len };
}

/* Bytes that two texts have in common, before and behind what differs. */
struct common {
	size_t before, behind;
};

static struct common
compare(struct slice a, struct slice b)
{
	size_t most = a.n < b.n ? a.n : b.n;
	struct common c = { 0, 0 };

	while (c.before < most && a.p[c.before] == b.p[c.before])
		c.before++;
	while (c.behind < most - c.before &&
	    a.p[a.n - 1 - c.behind] == b.p[b.n - 1 - c.behind])
		c.behind++;
	return c;
}

static void
pass_part(struct stage *st, struct slice body, size_t *at, size_t to)
{
	struct item bytes = { .kind = ITEM_BYTES };

	if (to <= *at)
		return;
	bytes.raw = (struct slice){ body.p + *at, to - *at };
	*at = to;
	stage_forward(st, &bytes);
}

void
whole_body_release(struct whole_body *g, struct stage *st, struct slice body)
{
	struct slice was = whole_body_bytes(g);
	struct item head = { .kind = ITEM_HEAD }, own;
	struct common c = { 0, 0 };
	bool has_own = body.p != was.p && stage_take_note(st, &own);
	size_t at = 0;

	g->is_open = true;
	stage_forward(st, &head);
	if (g->nnotes || has_own)
		c = compare(was, body);
	for (size_t i = 0; i < g->nnotes; i++) {
		struct item note = { .kind = ITEM_NOTE,
			.shot = g->notes[i].shot };
		size_t to = g->notes[i].at;

		if (to > c.before)
			to = to + c.behind < was.n ? body.n - c.behind
			                           : body.n - (was.n - to);
		pass_part(st, body, &at, to);
		stage_forward(st, &note);
	}
	if (has_own) {
		pass_part(st, body, &at, body.n - c.behind);
		stage_forward(st, &own);
	}
	pass_part(st, body, &at, body.n);
}
