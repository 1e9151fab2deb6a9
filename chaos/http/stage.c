/*
 * Passing an item on, and with it the note of what was done to it.  Notes are
 * put here, so that a fault cannot forget its own.
 */
#include "chaos/http/stage.h"

#include "chaos/rules/engine.h"

void
stage_forward(struct stage *st, const struct item *it)
{
	st->next->ops->on_item(st->next, it);
}

bool
stage_take_note(struct stage *st, struct item *ret)
{
	struct shot *s = st->shot;

	if (!s || s->is_noted || !shot_is_due(s))
		return false;
	s->is_noted = true;
	*ret = (struct item){ .kind = ITEM_NOTE, .shot = s };
	return true;
}

void
stage_note(struct stage *st)
{
	struct item note;

	if (stage_take_note(st, &note))
		stage_forward(st, &note);
}

void
stage_pass(struct stage *st, const struct item *it)
{
	/* A note stands behind the item it speaks of; nothing stands behind the
	 * end, so there it goes first. */
	if (it->kind == ITEM_END)
		stage_note(st);
	stage_forward(st, it);
	if (it->kind == ITEM_HEAD || it->kind == ITEM_EVENT ||
	    it->kind == ITEM_BYTES)
		stage_note(st);
}
