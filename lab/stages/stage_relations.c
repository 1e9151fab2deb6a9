/*
 * S9, shapes that nobody knows beforehand: every dimension and every stride
 * come from the secret seed.  Each is judged by its error bound like a
 * holdout; of the first one, each metamorphic relation compares the output
 * with what becomes of a changed input.
 */
#include "base/mem.h"
#include "lab/stages/device_fallback.h"
#include "lab/stages/trial_run.h"
#include <stdio.h>
#include <stdlib.h>

static bool
launch(struct trial *t, struct trial_case *tc, struct trial_outcome *o)
{
	const struct trial_launch where = { .worker =
		                                t->workers[tc->c->dtype] };
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;

	tc->got = xcalloc(n + 1, sizeof *tc->got);
	return trial_launch(t, &where, tc, tc->got, o);
}

static void
check(struct trial *t, const struct trial_case *base,
    const struct trial_case *tc, struct trial_outcome *o)
{
	struct judge_want want;
	bool differs = false;
	struct relation_pair p = { .base = base->in,
		.changed = tc->in,
		.got_base = base->got,
		.got_changed = tc->got,
		.ret_differs = &differs };
	char detail[160];
	double ratio;

	judge_want_init(&want, base->in);
	p.bound = want.bound;
	ratio = relation_check(tc->relation, &p);
	judge_want_done(&want);
	if (differs)
		t->r->batch_invariant = 0;

	if (ratio <= 1.0)
		return;
	snprintf(detail, sizeof detail, "it does not hold that %s",
	    tc->relation->name);
	trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "metamorphic", detail);
}

bool
stage_relations(struct trial *t)
{
	const struct trial_case *base = NULL;

	t->r->batch_invariant = 1;
	for (size_t i = 0; i < t->ncases; i++) {
		struct trial_case *tc = &t->cases[i];
		struct trial_outcome o;

		if (tc->group != TRIAL_RELATION)
			continue;
		if (launch(t, tc, &o)) {
			trial_compare(tc, tc->got, &o);
			if (!o.class && tc->relation && base)
				check(t, base, tc, &o);
		}
		if (o.class && fallback_acquits(t, tc, &o))
			o.class = NULL;
		if (o.class) {
			trial_fail_case(t, tc, &o);
			return false;
		}
		if (!tc->relation && !base)
			base = tc;
		trial_step(t);
	}
	return true;
}
