/*
 * S5 and S6, the holdouts with memory hygiene in the same runs.
 *
 * The named cases come first, three launches each; then those of the covering
 * array, one launch each here and another one, from other poison and elsewhere,
 * in the replay.
 *
 * Cases run a storage type at a time.  A case that is wrong does not stop the
 * others (its neighbours tell what is wrong with it); a child that is gone
 * does.  The smoke case, so far looked at by eye, must have met its error
 * bound too.  Errors that are each within their bound, but together larger than
 * float32's, are refused at the end (ops/error_spread.h).
 */
#include "lab/stages/trial_run.h"

static bool
run_dtype(struct trial *t, enum dtype dtype, bool *ret_alive)
{
	bool passed = true;

	*ret_alive = true;
	for (size_t i = 0; i < t->ncases && *ret_alive; i++)
		if (t->cases[i].group == TRIAL_HOLDOUT &&
		    t->cases[i].c->dtype == dtype)
			passed &= trial_run(t, &t->cases[i], ret_alive);
	return passed;
}

static bool
smoke_is_within_bound(struct trial *t)
{
	const struct lab_case_result *c = &t->r->cases[0];

	if (c->bound_ratio <= 1.0)
		return true;
	trial_fail(t, LAB_VERIFIED_INCORRECT, "inaccurate",
	    "case \"%s\" (%s): inaccurate: %.3g times the error bound", c->name,
	    dtype_name(c->dtype), c->bound_ratio);
	return false;
}

static bool
run_array(struct trial *t)
{
	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].group == TRIAL_ARRAY &&
		    !trial_run_quietly(t, &t->cases[i]))
			return false;
	return true;
}

static size_t
count_cases(const struct trial *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ncases; i++)
		n += t->cases[i].group == TRIAL_HOLDOUT ||
		    t->cases[i].group == TRIAL_ARRAY;
	return n;
}

bool
stage_holdouts(struct trial *t)
{
	bool passed = true, alive = true;

	trial_expect_steps(t, count_cases(t));
	for (int d = 0; d < DTYPE_NDTYPES && alive; d++)
		passed &= run_dtype(t, (enum dtype)d, &alive);
	return passed && smoke_is_within_bound(t) && run_array(t) &&
	    trial_errors_are_float32(t);
}
