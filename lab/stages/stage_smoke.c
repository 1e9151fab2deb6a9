/*
 * S3, the public smoke case, judged by value as a person does by hand: that
 * is what "it works for me" rests on, and what a silent lie gets past.  The
 * holdouts are judged by their error bounds, and the smoke case with them.
 */
#include "lab/stages/trial_run.h"

bool
stage_smoke(struct trial *t)
{
	bool alive;

	t->r->smoke = trial_run(t, &t->cases[0], &alive) ? 1 : 0;
	return t->r->smoke == 1;
}
