/*
 * S1, the build in a hostile child: the storage type of the smoke case.  The
 * others are built when the smoke test has passed.
 */
#include "lab/trial.h"

bool
stage_build(struct trial *t)
{
	enum dtype dtype = t->cases[0].c->dtype;

	return trial_build_start(t, dtype) && trial_build_await(t, dtype);
}
