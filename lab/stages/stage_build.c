/*
 * S1, the builds in hostile children: one child a storage type, all at once,
 * so that they share the cores; of one lab at a time.
 */
#include "lab/stages/heavy_turn.h"
#include "lab/stages/trial_build.h"

void
stage_build_turn(struct trial *t)
{
	heavy_turn_take();
	t->has_turn = true;
}

void
stage_build_start(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct trial_build b = { .dtype = (enum dtype)d };

		if (trial_needs(t, b.dtype) &&
		    !trial_build_start(t, &b, &t->workers[d]))
			return;
	}
}

static bool
await_all(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct trial_build b = { .dtype = (enum dtype)d };

		if (t->workers[d] && !trial_build_await(t, &b, t->workers[d]))
			return false;
	}
	return true;
}

bool
stage_build(struct trial *t)
{
	bool built = await_all(t);

	trial_end_turn(t);
	return built;
}
