/*
 * S1, the build in a hostile child: the storage type of the smoke case.  The
 * others are built when the smoke test has passed.
 */
#include "lab/trial.h"

static struct trial_build
smoke_build(const struct trial *t)
{
	return (struct trial_build){ .dtype = t->cases[0].c->dtype };
}

void
stage_build_start(struct trial *t)
{
	struct trial_build b = smoke_build(t);

	trial_build_start(t, &b, &t->workers[b.dtype]);
}

bool
stage_build(struct trial *t)
{
	struct trial_build b = smoke_build(t);

	return trial_build_await(t, &b, t->workers[b.dtype]);
}
