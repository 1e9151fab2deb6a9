/*
 * S8, schedule independence: a build whose work items say that they are the
 * mirrored ones, within their group and across groups, and that runs them in
 * groups of another size where the kernel does not look at its group.  The
 * float32 cases, or those of every storage type that it can tell apart.
 *
 * PoCL runs a group's items one after the other, so that what one reads of
 * another is there if that one came before: a missing barrier is hidden.
 * Mirrored, before and after change places.  Values are judged by their error
 * bounds again: another order may round differently and be right.  What fails
 * then is the kernel's fault or the compiler's: see arbiter.h.
 */
#include "base/mem.h"
#include "lab/stages/arbiter.h"
#include "lab/stages/lane.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trial_build
mirrored_build(const struct trial *t, enum dtype d)
{
	return (struct trial_build){ .dtype = d,
		.order = PRELUDE_MIRRORED,
		.other_local = (t->depends & TEXT_DEPENDS_GROUP) == 0 };
}

void
stage_schedule_start(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct trial_build b = mirrored_build(t, (enum dtype)d);
		struct trial_launch where = { .other_local = b.other_local,
			.once = true,
			.poison = PACK_POISON_B };

		if (!trial_looks_at(t, b.dtype))
			continue;
		if (!lane_start(t, &b, &where, &t->mirrored[d]))
			return;
		for (size_t i = 0; i < t->ncases; i++)
			if (t->cases[i].c->dtype == b.dtype &&
			    t->cases[i].group != TRIAL_ARRAY &&
			    trial_is_run_again(&t->cases[i]))
				lane_add(t->mirrored[d], &t->cases[i]);
	}
}

/* Wrong values and differing launches have one cause here. */
static void
name_the_cause(struct trial_outcome *o)
{
	if (o->class && o->verdict == LAB_VERIFIED_INCORRECT &&
	    strcmp(o->class, "out_of_bounds") != 0 &&
	    strcmp(o->class, "input_write") != 0)
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "schedule",
		    "other values when the work items run in another order");
}

/* All cases of a type: once its child is gone, the rest has failed as well. */
static bool
judge_lane(struct trial *t, struct lane *l)
{
	struct arbiter_case *failed =
	    xcalloc(lane_count(l) + 1, sizeof *failed);
	size_t n = 0;
	bool ok;

	for (size_t i = 0; i < lane_count(l); i++) {
		struct lane_case *c = lane_at(l, i);

		if (!c->o.class)
			trial_compare(c->tc, c->got, &c->o);
		name_the_cause(&c->o);
		if (c->o.class)
			failed[n++] = (struct arbiter_case){ c->tc, c->o };
	}
	ok = arbiter_acquits(t, failed, n);
	if (ok && n > 0)
		snprintf(t->note, sizeof t->note,
		    "%zu cases differ by the device compiler's fault: Oclgrind "
		    "finds no data race there",
		    n);
	free(failed);
	return ok;
}

bool
stage_schedule(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (t->mirrored[d] &&
		    (!lane_finish(t, t->mirrored[d]) ||
		        !judge_lane(t, t->mirrored[d])))
			return false;
	return true;
}
