/* S3, the public smoke case, judged by value. */
#include "lab/trial.h"

bool
stage_smoke(struct trial *t)
{
	bool alive;

	t->r->smoke = trial_run(t, &t->cases[0], &alive) ? 1 : 0;
	return t->r->smoke == 1;
}
