/*
 * S5 and S6, the holdouts with memory hygiene in the same runs.
 *
 * The builds of the remaining storage types start together, so that they
 * share the cores; cases then run a type at a time.  A case that is wrong
 * does not stop the others (its neighbours tell what is wrong with it); a
 * child that is gone does.  The smoke case, so far looked at by eye, must have
 * met its error bound too.
 */
#include "lab/trial.h"

/* Types that were not built for the smoke case. */
static bool
is_fresh(const struct trial *t, enum dtype d)
{
	return d != t->cases[0].c->dtype && trial_needs(t, d);
}

void
stage_holdouts_start(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct trial_build b = { .dtype = (enum dtype)d };

		if (is_fresh(t, b.dtype) &&
		    !trial_build_start(t, &b, &t->workers[d]))
			return;
	}
}

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

bool
stage_holdouts(struct trial *t)
{
	bool passed = true, alive = true;

	for (int d = 0; d < DTYPE_NDTYPES && alive; d++) {
		struct trial_build b = { .dtype = (enum dtype)d };

		if (is_fresh(t, b.dtype) &&
		    !trial_build_await(t, &b, t->workers[d]))
			return false;
		if (t->workers[d])
			passed &= run_dtype(t, b.dtype, &alive);
	}
	return passed && smoke_is_within_bound(t);
}
