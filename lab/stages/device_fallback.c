/*
 * The machine is the one that counts coverage too, in a child of its own.  A
 * storage type that the candidate cannot tell from another was not lowered
 * yet: it is now.
 */
#include "lab/stages/device_fallback.h"

#include "lab/stages/clang_front_end.h"
#include "lab/stages/coverage_count.h"
#include "lab/stages/trial_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only what PoCL is known to get wrong is asked about, and once.  A relation is
 * looked at behind values that are right, and the machine asks for none. */
static bool
is_doubtful(const struct trial *t, enum dtype d, const struct trial_outcome *o)
{
	return (t->depends & TEXT_DEPENDS_BARRIER) != 0 && t->lab->clang &&
	    !t->doubted[d] &&
	    (o->verdict == LAB_VERIFIED_INCORRECT || o->verdict == LAB_CRASH ||
	        o->verdict == LAB_TIMEOUT) &&
	    strcmp(o->class, "inaccurate") != 0 &&
	    strcmp(o->class, "metamorphic") != 0 &&
	    strcmp(o->class, "launch") != 0;
}

/* NULL: the machine can't run it and has no opinion. */
static struct cover *
lower(struct trial *t, enum dtype d)
{
	struct tool *tool = NULL;
	struct cover *c = NULL;
	char *text = NULL;
	struct why why;

	if (t->covers[d]) {
		(void)cover_new(t, d, cover_text(t->covers[d]), &c, &why);
		return c;
	}
	if (clang_lower(t->lab, t->texts[d], &tool, &why) == ERR_OK &&
	    clang_await(tool, &text, &why) == CLANG_DONE)
		(void)cover_new(t, d, text, &c, &why);
	tool_stop(tool);
	free(text);
	return c;
}

void
fallback_names(struct trial *t, const struct trial_case *tc,
    struct trial_outcome *o)
{
	struct trial_outcome again = { 0 };
	struct cover *c;

	if (o->verdict != LAB_CRASH || !t->lab->clang)
		return;
	c = lower(t, tc->c->dtype);
	if (c && !cover_launch(t, c, tc, tc->got, &again) && again.class &&
	    strcmp(again.class, "misaligned") == 0) {
		again.alive = false;
		*o = again;
	}
	cover_free(c);
}

bool
fallback_acquits(struct trial *t, struct trial_case *tc,
    const struct trial_outcome *o)
{
	enum dtype d = tc->c->dtype;
	unsigned before = t->nparts;
	struct trial_outcome again;

	if (!is_doubtful(t, d, o))
		return false;
	t->doubted[d] = true;
	t->fallbacks[d] = lower(t, d);
	/* A part of a launch acquits nobody: what failed may lie elsewhere. */
	if (t->fallbacks[d] &&
	    cover_launch(t, t->fallbacks[d], tc, tc->got, &again)) {
		trial_compare(tc, tc->got, &again);
		if (!again.class && t->nparts == before) {
			snprintf(t->note, sizeof t->note,
			    "the device's compiler gets %s wrong, the lab's "
			    "machine runs it",
			    dtype_name(d));
			return true;
		}
	}
	cover_free(t->fallbacks[d]);
	t->fallbacks[d] = NULL;
	t->nparts = before;
	return false;
}
