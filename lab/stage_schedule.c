/*
 * S8, schedule independence: a build whose work items say that they are the
 * mirrored ones, within their group and across groups, on the float32 cases.
 *
 * PoCL runs a group's items one after the other, so that what one reads of
 * another is there if that one came before: a missing barrier is hidden.
 * Mirrored, before and after change places.  Values are judged by their error
 * bounds again: another order may round differently and be right.
 */
#include "base/mem.h"
#include "lab/trial.h"
#include <stdlib.h>
#include <string.h>

static const struct trial_build mirrored_build = {
	.dtype = DTYPE_F32,
	.order = PRELUDE_MIRRORED,
};

void
stage_schedule_start(struct trial *t)
{
	trial_build_start(t, &mirrored_build, &t->mirrored);
}

/* Wrong values and differing launches have one cause here. */
static void
name_the_cause(struct trial_outcome *o)
{
	if (o->class && o->verdict == LAB_VERIFIED_INCORRECT &&
	    strcmp(o->class, "out_of_bounds") != 0 &&
	    strcmp(o->class, "input_write") != 0) {
		o->class = "schedule";
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "schedule",
		    "other values when the work items run in another order");
	}
}

static bool
run_mirrored(struct trial *t, const struct trial_case *tc)
{
	const struct trial_launch where = { .worker = t->mirrored };
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;
	float *got = xcalloc(n + 1, sizeof *got);
	struct trial_outcome o;

	if (trial_launch(t, &where, tc, got, &o))
		trial_compare(tc, got, &o);
	name_the_cause(&o);
	if (o.class)
		trial_fail_case(t, tc, &o);
	free(got);
	return !o.class;
}

bool
stage_schedule(struct trial *t)
{
	if (!trial_build_await(t, &mirrored_build, t->mirrored))
		return false;
	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].got && t->cases[i].c->dtype == DTYPE_F32 &&
		    !run_mirrored(t, &t->cases[i]))
			return false;
	return true;
}
