/*
 * S0, the text gate: what is refused before anything is compiled.
 *
 * Expressions are tried on the smoke shape, which is public: one that fails
 * there can never be launched.
 */
#include "lab/gate.h"
#include "lab/trial.h"

bool
stage_text(struct trial *t)
{
	const struct trial_case *smoke = &t->cases[0];
	struct why why;

	if (gate_check(t->rq->op, t->rq->candidate, &why) != ERR_OK)
		trial_fail(t, LAB_REFUSED, "refused", "%s", why.text);
	else if (smoke->geometry_err != ERR_OK)
		trial_fail(t, LAB_REFUSED, "refused", "%s",
		    smoke->geometry_why.text);
	else
		return true;
	return false;
}
