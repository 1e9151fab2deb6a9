/*
 * lab_judge: the stages of verification.md, in the order in which they are
 * judged; the first failure stops.
 *
 * What needs time and nobody's result is started early, by a row of starts[]:
 * clang, Oclgrind, the builds and the replay's children share the cores with
 * what is judged meanwhile.  The order of judgement does not depend on who is
 * ready first.
 *
 * To add a stage: a row here, a value in enum lab_stage, a file stage_NAME.c
 * with one function that returns whether the candidate may go on.
 */
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "lab/lab.h"
#include "lab/stages/trial.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGE_LEFT_OUT "left out on request"
#define RACE_CAUSE     "a missing barrier, or items that write where others read?"
#define UNSTEADY_CAUSE                                                         \
	"memory that nothing wrote before, or an address in the sum?"
#define UNWRITTEN_CAUSE "memory that nothing wrote before?"
#define FORK_CAUSE      "something else done for some positions, sizes or values?"

/* clang-format off */
static const struct {
	enum lab_stage stage;
	stage_fn *run;
} stages[] = {
	{ LAB_STAGE_TEXT,      stage_text },
	{ LAB_STAGE_IR,        stage_ir },
	{ LAB_STAGE_BUILD,     stage_build },
	{ LAB_STAGE_SMOKE,     stage_smoke },
	{ LAB_STAGE_EXACT,     stage_exact },
	{ LAB_STAGE_HOLDOUTS,  stage_holdouts },
	{ LAB_STAGE_OCLGRIND,  stage_oclgrind },
	{ LAB_STAGE_REPLAY,    stage_replay },
	{ LAB_STAGE_SCHEDULE,  stage_schedule },
	{ LAB_STAGE_RELATIONS, stage_relations },
	{ LAB_STAGE_COVERAGE,  stage_coverage },
};

/* What is started once a stage has passed, or was left out, in this order:
 * the first build waits until the device is warm, Oclgrind need not, and the
 * turn comes before all that has a deadline.  late: the stage after which it
 * must be, for a lab that does everything in turn. */
static const struct {
	enum lab_stage after, late, stage;
	stage_start_fn *start;
} starts[] = {
	{ LAB_STAGE_TEXT,  LAB_STAGE_TEXT,      LAB_STAGE_IR,       stage_ir_start       },
	{ LAB_STAGE_IR,    LAB_STAGE_IR,        LAB_STAGE_BUILD,    stage_build_turn     },
	{ LAB_STAGE_IR,    LAB_STAGE_HOLDOUTS,  LAB_STAGE_OCLGRIND, stage_oclgrind_start },
	{ LAB_STAGE_IR,    LAB_STAGE_IR,        LAB_STAGE_SCHEDULE, stage_schedule_plan  },
	{ LAB_STAGE_IR,    LAB_STAGE_IR,        LAB_STAGE_COVERAGE, stage_coverage_plan  },
	{ LAB_STAGE_IR,    LAB_STAGE_IR,        LAB_STAGE_BUILD,    stage_build_start    },
	{ LAB_STAGE_IR,    LAB_STAGE_REPLAY,    LAB_STAGE_SCHEDULE, stage_schedule_start },
	{ LAB_STAGE_IR,    LAB_STAGE_REPLAY,    LAB_STAGE_COVERAGE, stage_schedule_start },
	{ LAB_STAGE_IR,    LAB_STAGE_RELATIONS, LAB_STAGE_COVERAGE, stage_coverage_start },
	{ LAB_STAGE_SMOKE, LAB_STAGE_OCLGRIND,  LAB_STAGE_REPLAY,   stage_replay_start   },
};

static const struct {
	const char *class, *cause;
} class_causes[] = {
	{ "race",             RACE_CAUSE },
	{ "schedule",         RACE_CAUSE },
	{ "nondeterministic", UNSTEADY_CAUSE },
	{ "uninitialised",    UNWRITTEN_CAUSE },
};
/* clang-format on */

#define NSTAGES COUNT(stages)
#define NSTARTS COUNT(starts)

static bool
is_left_out(const struct lab_request *rq, enum lab_stage s)
{
	return lab_stage_may_be_left_out(s) && (rq->skip >> s & 1) != 0;
}

static void
start_after(struct trial *t, enum lab_stage stage)
{
	bool in_turn = t->lab->conf.in_turn;

	for (size_t i = 0; i < NSTARTS; i++)
		if ((in_turn ? starts[i].late : starts[i].after) == stage &&
		    trial_wants(t, starts[i].stage) && t->r->class[0] == '\0')
			starts[i].start(t);
}

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
	enum lab_stage_status status = LAB_STAGE_FAILED;
	uint64_t start_us = clock_mono_us();
	struct lab_stage_result *s;
	bool passed;

	t->note[0] = '\0';
	t->skipped = false;
	t->stage = stages[i].stage;
	trial_expect_steps(t, 0);
	/* A start that went wrong has failed the candidate, or the lab. */
	passed = t->r->class[0] == '\0' && stages[i].run(t);
	if (passed)
		status = t->skipped ? LAB_STAGE_SKIPPED : LAB_STAGE_PASSED;
	s = add_stage(t->r, stages[i].stage, status, t->note);
	s->ms = (double)(clock_mono_us() - start_us) / 1e3;
	if (t->rq->on_stage)
		t->rq->on_stage(s, t->rq->arg);
	return passed;
}

/* Where the machine has taken the device's place, the claim says so. */
static void
describe_fallbacks(const struct trial *t, int at)
{
	struct lab_report *r = t->r;
	const char *between = "; the device's compiler gets this kernel wrong, "
	                      "run by the lab's machine instead: ";

	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (t->fallbacks[d] && at < (int)sizeof r->message) {
			at += snprintf(r->message + at,
			    sizeof r->message - (size_t)at, "%s%s", between,
			    dtype_name((enum dtype)d));
			between = ", ";
		}
	if (t->nparts > 0 && at < (int)sizeof r->message)
		snprintf(r->message + at, sizeof r->message - (size_t)at,
		    " (%u large launches in part)", t->nparts);
}

/* "14 of 14 cases passed; not looked at: oclgrind (left out on request)" */
static void
describe_success(const struct trial *t)
{
	struct lab_report *r = t->r;
	int at = snprintf(r->message, sizeof r->message,
	    "%zu of %zu cases passed", r->ncases, r->ncases);
	const char *between = "; not looked at: ";

	for (size_t i = 0; i < r->nstages; i++) {
		const struct lab_stage_result *s = &r->stages[i];

		if (s->status != LAB_STAGE_SKIPPED ||
		    strcmp(s->note, LAB_NOT_REACHED) == 0 ||
		    at >= (int)sizeof r->message)
			continue;
		at += snprintf(r->message + at, sizeof r->message - (size_t)at,
		    "%s%s (%s)", between, lab_stage_name(s->stage), s->note);
		between = ", ";
	}
	describe_fallbacks(t, at);
}

/* What a class speaks for by itself, whatever the cases say. */
static const char *
cause_of_class(const char *class)
{
	for (size_t i = 0; i < COUNT(class_causes); i++)
		if (strcmp(class, class_causes[i].class) == 0)
			return class_causes[i].cause;
	return NULL;
}

static bool
has_failed_in(const struct lab_report *r, enum lab_stage s)
{
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].stage == s)
			return r->stages[i].status == LAB_STAGE_FAILED;
	return false;
}

/* All named holdouts passed, and a case that the secret seed drew did not:
 * whatever was done there was not done for the sizes that everybody knows. */
static bool
has_failed_in_the_array(const struct trial *t)
{
	const struct lab_report *r = t->r;
	const char *last = r->ncases ? r->cases[r->ncases - 1].name : NULL;

	if (!has_failed_in(r, LAB_STAGE_HOLDOUTS))
		return false;
	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].c->name == last)
			return t->cases[i].group == TRIAL_ARRAY;
	return false;
}

static void
name_the_cause(struct trial *t)
{
	const char *cause = cause_of_class(t->r->class);

	if (!cause && t->r->verdict == LAB_VERIFIED_INCORRECT)
		cause = has_failed_in(t->r, LAB_STAGE_RELATIONS) ||
		        has_failed_in(t->r, LAB_STAGE_COVERAGE)
		    ? FORK_CAUSE
		    : cause_find(t->evidence, t->nevidence);
	if (!cause && has_failed_in_the_array(t))
		cause = FORK_CAUSE;
	if (cause)
		snprintf(t->r->suspect, sizeof t->r->suspect, "%s", cause);
}

void
lab_judge(struct lab *l, const struct lab_request *rq, struct lab_report *ret)
{
	/* More than a megabyte: too much for a stack. */
	struct trial *t = xcalloc(1, sizeof *t);
	bool passed = true;

	/* No claim unless every stage says so. */
	*ret = (struct lab_report){ .verdict = LAB_ERROR,
		.class = "",
		.smoke = -1,
		.batch_invariant = -1 };
	trial_init(t, l, rq, ret);
	for (size_t i = 0; i < NSTAGES; i++) {
		if (is_left_out(rq, stages[i].stage))
			add_stage(ret, stages[i].stage, LAB_STAGE_SKIPPED,
			    STAGE_LEFT_OUT);
		else if (passed && stages[i].stage <= rq->upto)
			passed = run_stage(t, i);
		else
			add_stage(ret, stages[i].stage, LAB_STAGE_SKIPPED,
			    LAB_NOT_REACHED);
		if (passed)
			start_after(t, stages[i].stage);
	}
	if (passed) {
		ret->verdict = rq->upto >= LAB_STAGE_HOLDOUTS &&
		        !is_left_out(rq, LAB_STAGE_HOLDOUTS) && !rq->storage
		    ? LAB_VERIFIED_CORRECT
		    : LAB_SMOKE_PASSED;
		describe_success(t);
	} else {
		name_the_cause(t);
	}
	trial_done(t);
	free(t);
}
