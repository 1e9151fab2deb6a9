/*
 * lab_judge: the stages of verification.md, in order, the first failure
 * stops.
 *
 * To add a stage: a row here, a value in enum lab_stage, a file stage_NAME.c
 * with one function that returns whether the candidate may go on.
 */
#include "base/clock.h"
#include "base/err.h"
#include "lab/trial.h"
#include <stdio.h>

#define STAGE_NOT_REACHED "not reached"
#define STAGE_LEFT_OUT    "left out on request"

static const struct {
	enum lab_stage stage;
	stage_fn *run;
} stages[] = {
	{ LAB_STAGE_TEXT, stage_text },
	{ LAB_STAGE_BUILD, stage_build },
	{ LAB_STAGE_SMOKE, stage_smoke },
	{ LAB_STAGE_HOLDOUTS, stage_holdouts },
};

#define NSTAGES (sizeof stages / sizeof stages[0])

static struct lab_stage_result *
add_stage(struct lab_report *r, enum lab_stage stage,
    enum lab_stage_status status, const char *note)
{
	struct lab_stage_result *s = &r->stages[r->nstages++];

	*s = (struct lab_stage_result){ .stage = stage, .status = status };
	snprintf(s->note, sizeof s->note, "%s", note);
	return s;
}

static bool
run_stage(struct trial *t, size_t i)
{
	uint64_t start_us = clock_mono_us();
	struct lab_stage_result *s;
	bool passed;

	t->note[0] = '\0';
	passed = stages[i].run(t);
	s = add_stage(t->r, stages[i].stage,
	    passed ? LAB_STAGE_PASSED : LAB_STAGE_FAILED, t->note);
	s->ms = (double)(clock_mono_us() - start_us) / 1e3;
	if (t->rq->on_stage)
		t->rq->on_stage(s, t->rq->arg);
	return passed;
}

static bool
is_left_out(const struct lab_request *rq, enum lab_stage stage)
{
	return stage > LAB_STAGE_SMOKE && (rq->skip >> stage & 1) != 0;
}

void
lab_judge(struct lab *l, const struct lab_request *rq, struct lab_report *ret)
{
	struct trial t;
	bool passed = true;

	/* No claim unless every stage says so. */
	*ret = (struct lab_report){ .verdict = LAB_ERROR,
		.class = "",
		.smoke = -1 };
	trial_init(&t, l, rq, ret);
	for (size_t i = 0; i < NSTAGES; i++)
		if (is_left_out(rq, stages[i].stage))
			add_stage(ret, stages[i].stage, LAB_STAGE_SKIPPED,
			    STAGE_LEFT_OUT);
		else if (passed && stages[i].stage <= rq->upto)
			passed = run_stage(&t, i);
		else
			add_stage(ret, stages[i].stage, LAB_STAGE_SKIPPED,
			    STAGE_NOT_REACHED);
	trial_done(&t);
	if (!passed)
		return;
	ret->verdict = rq->upto >= LAB_STAGE_HOLDOUTS &&
	        !is_left_out(rq, LAB_STAGE_HOLDOUTS)
	    ? LAB_VERIFIED_CORRECT
	    : LAB_SMOKE_PASSED;
	snprintf(ret->message, sizeof ret->message, "%zu of %zu cases passed",
	    ret->ncases, ret->ncases);
}
