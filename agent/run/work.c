/*
 * One operator through the forge.
 *
 * Each state has one work function that returns pass or fail; the table
 * below is all that connects them with the machine.  Everything a resumed
 * run needs is on disk before the ledger says that it happened: the record
 * of an iteration (what was asked, what came back) is written before
 * "generated", so a resumed run judges the same answer again and does not
 * ask twice.
 */
#include "agent/run/work.h"

#include "agent/run/budget.h"
#include "agent/run/lab_exam.h"
#include "agent/run/note_degradation.h"
#include "agent/run/other_lab.h"
#include "agent/run/record_hash.h"
#include "agent/run/run_progress.h"
#include "agent/run/stop_asking.h"
#include "agent/run/work_state.h"
#include "agent/text/utf8.h"
#include "base/clock.h"
#include "base/mask.h"
#include "base/mem.h"
#include "lab/stages/model_hint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum forge_event work_fn(struct work *w);

static work_fn generate, judge, refine;

static work_fn *const work_table[FORGE_NSTATES] = {
	[FORGE_GENERATING] = generate,
	[FORGE_JUDGING] = judge,
	[FORGE_REFINE] = refine,
};

/* As the ledger has it. */
static void
say_outcome(const struct run *run, const struct op *op)
{
	if (ledger_is_verified(ledger_state(run->ledger, op->name)))
		say_end(run, TERM_GOOD, "verified", "verified");
	else
		say_end(run, TERM_BAD, "NOT verified", "NOT verified");
}

enum err
work_operator(struct run *run, const struct op *op, struct why *why)
{
	struct work *w = xcalloc(1, sizeof *w); /* too large for a stack */
	enum forge_event ev;
	bool worked;
	enum err e;

	w->run = run;
	w->op = op;
	w->why = why;
	run->role = "kernelforge";
	run->op = op->name;
	worked = work_restore(w);
	if (worked)
		while (!forge_is_over(&w->forge)) {
			run->iteration = w->forge.iteration;
			ev = work_table[w->forge.state](w);
			if (w->e != ERR_OK)
				break;
			forge_step(&w->forge, ev);
		}
	if (w->e == ERR_OK && worked)
		say_outcome(run, op);
	candidate_done(&w->candidate);
	json_decref(w->messages);
	json_decref(w->record);
	e = w->e;
	free(w);
	return e;
}

/* ---- the states' work */

static bool
escalates(const struct work *w)
{
	return forge_escalates(&w->forge) &&
	    !(w->run->without & 1u << RUN_ESCALATION);
}

static bool
begin(struct work *w)
{
	const char *requested = escalates(w) ? "escalation" : "primary";
	char commit[65];

	secret_seed_draw(w->run->seed, "kernelforge", w->op->name,
	    w->forge.iteration, &w->seeds);
	lab_seed_commit(w->seeds.seed, w->seeds.nonce, commit);
	(void)snprintf(w->route, sizeof w->route, "requested=%s", requested);
	json_decref(w->record);
	w->record = NULL;
	w->other = (struct opinion){ 0 };
	degrade_put_back(w->run, NULL);
	/* A resumed run stands in the middle of an attempt: its seed was drawn
	 * again from the same parts, and must be the one committed to. */
	if (work_state_now(w) != LEDGER_NONE)
		return work_keeps_commit(w, commit);
	/* Before the ledger knows of it: a try that may not ask never began. */
	w->e = budget_begin_iteration(w->run, w->why);
	return w->e == ERR_OK &&
	    work_append(w, LEDGER_ATTEMPTED,
	        json_pack("{s:s}", "seed_commit", commit));
}

/* The record says why no answer came. */
static enum forge_event
no_answer(struct work *w)
{
	const char *failure =
	    json_string_value(json_object_get(w->record, "failure"));

	return work_give_up(w, LEDGER_ABANDONED,
	    &(struct prompt_feedback){
	        .class = json_string_value(json_object_get(w->record, "class")),
	        .message = failure,
	    },
	    failure);
}

/* What the answer cost and met, so that a resumed run knows it too. */
static void
keep_way(struct work *w, json_t *spent)
{
	json_object_set_new(w->record, "spent", spent);
	if (w->run->degraded)
		json_object_set_new(w->record, "degraded",
		    json_deep_copy(w->run->degraded));
}

/* The answer's text into the record; false: the work ends or fails. */
static bool
ask(struct work *w, enum forge_event *ret)
{
	struct model_question q = {
		.role = "kernelforge",
		.op = w->op->name,
		.iteration = w->forge.iteration,
		.escalate = escalates(w),
		.model = escalates(w) ? w->run->scenario->escalation : NULL,
		.messages = w->messages,
	};
	struct model_answer a;
	struct model_failure f;
	json_t *spent;
	bool failed;

	w->e = ask_model(w->run, &q, &a, &f, &spent, &failed, w->why);
	if (w->e != ERR_OK)
		return false;
	if (!failed) {
		(void)snprintf(w->route, sizeof w->route, "%s", a.route);
		w->record = json_pack("{s:s, s:i, s:O, s:s, s:s, s:s}", "op",
		    w->op->name, "iteration", (int)w->forge.iteration, "asked",
		    w->messages, "answer", a.content, "route", a.route,
		    "request_id", a.request_id);
		degrade_look(w->run, w->op, w->messages, &a);
		model_answer_done(&a);
		keep_way(w, spent);
		return true;
	}
	if (*f.route)
		(void)snprintf(w->route, sizeof w->route, "%s", f.route);
	w->record =
	    json_pack("{s:s, s:i, s:O, s:s, s:s, s:s}", "op", w->op->name,
	        "iteration", (int)w->forge.iteration, "asked", w->messages,
	        "class", f.class, "failure", f.text, "route", w->route);
	keep_way(w, spent);
	work_save_record(w);
	*ret = no_answer(w);
	return false;
}

/* What the model is unsure of, in its own words, for the report. */
static void
keep_assumptions(struct work *w)
{
	json_t *all = json_array();

	for (size_t i = 0; i < w->candidate.nassumptions; i++) {
		mask_answer(w->candidate.assumptions[i]);
		json_array_append_new(all,
		    utf8_json(w->candidate.assumptions[i]));
	}
	json_object_set_new(w->record, "assumptions", all);
}

static enum forge_event
generate(struct work *w)
{
	enum forge_event ev = FORGE_FAIL;
	struct why why;
	json_t *answer;
	char name[16];

	if (!begin(w))
		return ev;
	/* Which model answers is the gateway's to say, and stands in the route.
	 */
	say_asking(w->run, escalates(w));
	if (!work_recall(w)) {
		if (w->e != ERR_OK || !ask(w, &ev))
			return ev;
		work_save_record(w);
	}
	say_route(w->run, w->route);
	answer = json_object_get(w->record, "answer");
	if (!answer)
		return no_answer(w);
	if (work_state_now(w) == LEDGER_ATTEMPTED &&
	    !work_append(w, LEDGER_GENERATED, record_binding(w->record)))
		return ev;
	candidate_done(&w->candidate);
	if (candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &w->candidate, &why) != ERR_OK) {
		return work_give_up(w, LEDGER_ABANDONED,
		    &(struct prompt_feedback){ .class = "parse",
		        .message = why.text },
		    why.text);
	}
	keep_assumptions(w);
	w->e = rundir_write_kernel(w->run->dir, w->op->name,
	    work_try_name(w, name), &w->candidate, w->why);
	return FORGE_PASS;
}

/* What a passed stage means for the ledger. */
static const enum ledger_state stage_states[LAB_NSTAGES] = {
	[LAB_STAGE_BUILD] = LEDGER_COMPILED,
	[LAB_STAGE_SMOKE] = LEDGER_SMOKE_PASSED,
};

static void
on_stage(const struct lab_stage_result *r, void *arg)
{
	struct work *w = arg;
	enum ledger_state s = stage_states[r->stage];

	/* A resumed attempt is judged again from its first stage, and the
	 * ledger has some of those steps already. */
	if (w->e == ERR_OK && s && r->status == LAB_STAGE_PASSED &&
	    ledger_may(work_state_now(w), s))
		work_append(w, s, NULL);
}

/* The verdict as feedback, in the words that a model may hear; message: owned,
 * for the caller to free. */
static struct prompt_feedback
feedback_of(const struct lab_report *r, char **ret_message)
{
	const struct lab_case_result *c = model_hint_case(r);
	struct prompt_feedback fb = {
		.class = *r->class ? r->class : lab_verdict_name(r->verdict),
		.message = *ret_message = model_hint_words(r),
		.suspect = r->suspect,
	};

	if (c) {
		fb.case_name = c->name;
		fb.dtype = c->dtype;
		fb.max_abs_diff = model_hint_power_of_ten(c->max_abs_diff);
		fb.bound_ratio = model_hint_power_of_ten(c->bound_ratio);
	}
	return fb;
}

/* By how far it came: only the holdouts can prove a kernel wrong. */
static enum forge_event
fail_verdict(struct work *w)
{
	char *message;
	struct prompt_feedback fb = feedback_of(&w->report, &message);
	bool is_proved = work_state_now(w) == LEDGER_SMOKE_PASSED &&
	    (w->report.verdict == LAB_VERIFIED_INCORRECT ||
	        w->report.verdict == LAB_UNPROVEN);
	enum forge_event ev = work_give_up(w,
	    is_proved ? LEDGER_VERIFIED_INCORRECT : LEDGER_ABANDONED, &fb,
	    w->report.message);

	free(message);
	return ev;
}

/* Nothing is wrong with it here and another lab refuses it: no claim, and no
 * proof of a mistake. */
static enum forge_event
yield_to_veto(struct work *w)
{
	return work_give_up(w, LEDGER_ABANDONED,
	    &(struct prompt_feedback){ .class = OPINION_CLASS,
	        .message = other_lab_hint },
	    "another lab refuses it; ours found nothing wrong, and proves "
	    "nothing against it");
}

static bool
claim(struct work *w)
{
	char *reveal = lab_exam_reveal(&w->seeds);
	json_t *extra = json_pack("{s:s, s:s, s:i, s:f, s:s, s:o, s:o}",
	    "seed_reveal", reveal, "source_sha256", w->report.source_sha256,
	    "holdouts", (int)w->op->nholdouts, "worst_bound_ratio",
	    lab_exam_worst(&w->report), "device", lab_device(w->run->lab),
	    "skipped", lab_skipped_json(&w->report), "coverage",
	    lab_coverage_json(&w->report));

	free(reveal);
	work_bind_record(w, extra);
	return work_append(w, LEDGER_VERIFIED_CORRECT, extra);
}

/* One exam is all stages; on_stage() takes the ledger along. */
static enum forge_event
judge(struct work *w)
{
	struct lab_exam_job job = {
		.op = w->op,
		.candidate = &w->candidate,
		.upto = LAB_NSTAGES - 1,
		.seeds = &w->seeds,
		.other = &w->other,
		.on_stage = on_stage,
		.arg = w,
	};
	struct lab_report *audit;
	enum err e = lab_exam_run(w->run, &job, &w->report, w->why);

	if (w->e == ERR_OK)
		w->e = e;
	if (w->e != ERR_OK)
		return FORGE_FAIL;
	json_object_set_new(w->record, "judged",
	    lab_report_json(w->op, &w->report));
	if (w->report.verdict != LAB_VERIFIED_CORRECT)
		return fail_verdict(w);
	if (w->other.word == OPINION_REFUSED)
		return yield_to_veto(w);
	/* Before the claim: a run that is stopped behind it would leave a
	 * claim whose record knows of no verdict. */
	work_save_record(w);
	if (!claim(w))
		return FORGE_FAIL;
	/* After the claim, on other secret seeds: the score of KernelForge is
	 * measured by the same yardstick as the baseline's, not taken from its
	 * own word. */
	audit = xcalloc(1, sizeof *audit);
	work_audit(w, audit);
	free(audit);
	work_save_audit(w);
	if (w->e == ERR_OK && w->run->machine)
		work_time(w);
	return FORGE_PASS;
}

static enum forge_event
refine(struct work *w)
{
	return forge_budget(&w->forge);
}
