/*
 * Exams with a trace: a span a stage, and progress while they run.
 *
 * The lab is opened anew when it fails by itself, once: a judgement that is
 * lost by the machine must not be held against a kernel.
 */
#include "agent/run/lab_exam.h"

#include "agent/run/note_degradation.h"
#include "agent/run/other_lab.h"
#include "agent/run/run_progress.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/stop.h"
#include <malloc.h>

struct lab_exam {
	struct run *run;
	const struct lab_exam_job *job;
	uint64_t span, start_us;
	unsigned seen; /* cases */
};

static const char *const stage_status[] = {
	[LAB_STAGE_PASSED] = "ok",
	[LAB_STAGE_FAILED] = "failed",
	[LAB_STAGE_SKIPPED] = "skipped",
};

static void
on_stage(const struct lab_stage_result *r, void *arg)
{
	struct lab_exam *j = arg;
	uint64_t now = clock_mono_us();

	rundir_trace(j->run->dir, 0,
	    &(struct rundir_span){
	        .name = "lab.stage",
	        .parent = j->span,
	        .start_us = now - (uint64_t)(r->ms * 1000),
	        .end_us = now,
	        .status = stage_status[r->status],
	        .attributes = json_pack("{s:s, s:s}", "stage",
	            lab_stage_name(r->stage), "note", r->note),
	    });
	say_step(j->run, "%s %s", lab_stage_name(r->stage),
	    stage_status[r->status]);
	if (j->job->on_stage)
		j->job->on_stage(r, j->job->arg);
}

/* Shown for the count alone. */
static void
on_output(const struct op_instance *in, const float *got, void *arg)
{
	struct lab_exam *j = arg;

	(void)in, (void)got;
	j->seen++;
	say_cases(j->run, j->seen, (unsigned)j->job->op->nholdouts);
}

static void
judge_here(struct lab_exam *j, struct lab_report *ret)
{
	lab_judge(j->run->lab,
	    &(struct lab_request){
	        .op = j->job->op,
	        .candidate = j->job->candidate,
	        .upto = j->job->upto,
	        .seed = j->job->seeds->seed,
	        .nonce = j->job->seeds->nonce,
	        .on_stage = on_stage,
	        .on_output = on_output,
	        .arg = j,
	    },
	    ret);
}

/* The verdict is ours, whatever another lab says: that stands beside it. */
static void
judge(struct lab_exam *j, struct lab_report *ret)
{
	bool asks = j->run->other_lab && j->job->other;

	if (asks)
		other_lab_ask(j->run->other_lab, j->run, j->job, j->job->other);
	judge_here(j, ret);
	if (asks)
		other_lab_compare(j->run, j->job->other, ret);
}

/* A lab whose children died is of no use to anybody: a new one may be. */
static enum err
open_again(struct run *run, struct why *why)
{
	lab_close(run->lab);
	run->lab = NULL;
	log_warn("lab", "could not judge; it is opened again");
	degrade_note(run, DEGRADATION_LAB, "it could not judge");
	return lab_open(&run->lab_conf, &run->lab, why);
}

static enum err
judge_by_a_working_lab(struct lab_exam *j, struct lab_report *ret,
    struct why *why)
{
	enum err e;

	judge(j, ret);
	if (ret->verdict != LAB_ERROR || stop_asked())
		return ERR_OK;
	/* Once: a machine that fails twice running would fail for every
	 * candidate, and each would be abandoned for nothing it did. */
	e = open_again(j->run, why);
	if (e == ERR_OK) {
		judge_here(j, ret);
		if (ret->verdict != LAB_ERROR)
			return ERR_OK;
		why_set(why, ERR_ENV, "%s", ret->message);
	}
	return why_prefix(why, ERR_ENV, "the lab cannot judge on this machine");
}

enum err
lab_exam_run(struct run *run, const struct lab_exam_job *job,
    struct lab_report *ret, struct why *why)
{
	enum err e;
	struct lab_exam j = {
		.run = run,
		.job = job,
		.span = rundir_span_id(run->dir),
		.start_us = clock_mono_us(),
	};

	e = judge_by_a_working_lab(&j, ret, why);
	/* A compiler quotes the candidate, put together: what the answer held
	 * in pieces may be a key now, or its beginning where the lab's
	 * message ends. */
	mask_foreign(ret->message);
	mask_foreign(ret->suspect);
	/* Inputs and references of a judgement are half of what a worker holds,
	 * in pieces; the next one asks for others. */
	(void)malloc_trim(0);
	rundir_trace(run->dir, j.span,
	    &(struct rundir_span){
	        .name = "tool.lab",
	        .parent = run->span,
	        .start_us = j.start_us,
	        .end_us = clock_mono_us(),
	        .status = lab_verdict_name(ret->verdict),
	        .attributes = json_pack("{s:s, s:s, s:i}", "role", run->role,
	            "op", run->op, "iteration", (int)run->iteration),
	    });
	/* What was being judged when a signal came may have been cut off by it:
	 * such a verdict is not kept. */
	if (e == ERR_OK && stop_asked())
		e = why_set(why, ERR_CLOSED, "stopped by %s", stop_asked());
	return e;
}

json_t *
lab_exam_failing(const struct lab_report *r)
{
	json_t *names = json_array();

	for (size_t i = 0; i < r->ncases; i++)
		if (!r->cases[i].passed)
			json_array_append_new(names,
			    json_string(r->cases[i].name));
	return names;
}

double
lab_exam_worst(const struct lab_report *r)
{
	double worst = -1;

	for (size_t i = 0; i < r->ncases; i++)
		if (r->cases[i].bound_ratio > worst)
			worst = r->cases[i].bound_ratio;
	return worst;
}

char *
lab_exam_reveal(const struct secret_seed *s)
{
	char seed[DIGEST_HEX], nonce[DIGEST_HEX];

	digest_hex(s->seed, seed);
	digest_hex(s->nonce, nonce);
	return xasprintf("%s%s", seed, nonce);
}
