/*
 * S4, the exact oracle: small integers, whose sums and products are exact in
 * any order, so that nothing at all may differ.  A sum of thousands has room
 * in its error bound for a lost element; here it has none.  Where one operation
 * is exact in float32 the store alone rounds, and of two numbers that are as
 * near the even one is right.
 */
#include "lab/stages/trial_run.h"

bool
stage_exact(struct trial *t)
{
	bool passed = true, alive = true;

	if (t->rq->op->nexact == 0)
		return trial_skip(t, "%s has no exact form", t->rq->op->name);
	for (size_t i = 0; i < t->ncases && alive; i++)
		if (t->cases[i].group == TRIAL_EXACT)
			passed &= trial_run(t, &t->cases[i], &alive);
	return passed;
}
