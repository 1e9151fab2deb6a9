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
#include "agent/work.h"

#include "agent/exam.h"
#include "agent/forge.h"
#include "agent/prompt.h"
#include "agent/secret.h"
#include "agent/term.h"
#include "agent/utf8.h"
#include "base/clock.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
	struct run *run;
	const struct op *op;
	struct forge forge;
	struct secret seeds;
	json_t *messages; /* owned: the conversation so far */
	json_t *record;   /* owned: kernels/OP/ITERATION.json */
	char route[MODEL_TEXT_MAX];
	struct candidate candidate;
	struct lab_report report;
	enum err e; /* what ends the work early */
	struct why *why;
};

typedef enum forge_event work_fn(struct work *w);

static work_fn plan, generate, compile, smoke, holdouts, refine;

static work_fn *const work_table[FORGE_NSTATES] = {
	[FORGE_PLANNING] = plan,
	[FORGE_GENERATING] = generate,
	[FORGE_COMPILING] = compile,
	[FORGE_SMOKE] = smoke,
	[FORGE_HOLDOUT_VERIFY] = holdouts,
	[FORGE_REFINE] = refine,
};

static bool restore(struct work *w);
static void audit_again(struct work *w);
static bool append(struct work *w, enum ledger_state s, json_t *extra);
static enum forge_event give_up(struct work *w, enum ledger_state s,
    const struct prompt_feedback *fb);
static void save_record(struct work *w);

static const char *
try_name(const struct work *w, char out[16])
{
	(void)snprintf(out, 16, "%u", w->forge.iteration);
	return out;
}

enum err
work_operator(struct run *run, const struct op *op, struct why *why)
{
	struct work w = { .run = run, .op = op, .why = why };
	enum forge_event ev;

	run->role = "kernelforge";
	run->op = op->name;
	if (restore(&w))
		while (!forge_is_over(&w.forge)) {
			run->iteration = w.forge.iteration;
			ev = work_table[w.forge.state](&w);
			if (w.e != ERR_OK)
				break;
			forge_step(&w.forge, ev);
		}
	candidate_done(&w.candidate);
	json_decref(w.messages);
	json_decref(w.record);
	return w.e;
}

/* ---- where we stand */

/* The conversation after iteration i failed, from its record. */
static json_t *
conversation_after(struct work *w, unsigned i)
{
	char name[16];
	json_t *record, *messages, *turns, *turn;
	size_t k;

	(void)snprintf(name, sizeof name, "%u", i);
	record = i
	    ? rundir_read_record(rundir_path(w->run->dir), w->op->name, name)
	    : NULL;
	messages = json_object_get(record, "asked");
	if (!json_is_array(messages)) {
		json_decref(record);
		return prompt_open(w->op);
	}
	messages = json_deep_copy(messages);
	turns = json_object_get(record, "feedback");
	json_array_foreach(turns, k, turn)
		json_array_append(messages, turn);
	json_decref(record);
	return messages;
}

/*
 * Sets the machine to where the ledger stands; false when nothing is left to
 * do.  A fresh seed does not survive a crash, so an open iteration without a
 * scenario's seed is abandoned.
 */
static bool
restore(struct work *w)
{
	const struct forge_profile *profile =
	    forge_profile_find(w->run->scenario->profile);
	unsigned last = ledger_iteration(w->run->ledger, w->op->name);
	enum ledger_state s = ledger_state(w->run->ledger, w->op->name);

	forge_init(&w->forge, profile, last ? last : 1);
	if (ledger_is_verified(s)) {
		audit_again(w);
		return false;
	}
	if (s != LEDGER_NONE && !ledger_has_failed(s) && !w->run->seed) {
		if (!append(w, LEDGER_ABANDONED,
		        json_pack("{s:s}", "class", "interrupted")))
			return false;
		s = LEDGER_ABANDONED;
	}
	if (ledger_has_failed(s))
		forge_init(&w->forge, profile, last + 1);
	w->messages = conversation_after(w, w->forge.iteration - 1);
	return w->forge.iteration <= profile->iterations_max;
}

static enum ledger_state
state_now(const struct work *w)
{
	return ledger_iteration(w->run->ledger, w->op->name) ==
	        w->forge.iteration
	    ? ledger_state(w->run->ledger, w->op->name)
	    : LEDGER_NONE;
}

/* Takes extra over; false ends the work. */
static bool
append(struct work *w, enum ledger_state s, json_t *extra)
{
	struct ledger_step step = {
		.op = w->op->name,
		.iteration = w->forge.iteration,
		.state = s,
		.route = w->route,
		.extra = extra,
	};

	w->e = ledger_append(w->run->ledger, &step, w->why);
	json_decref(extra);
	return w->e == ERR_OK;
}

/* ---- the states' work */

static enum forge_event
plan(struct work *w)
{
	(void)w;
	return FORGE_PASS;
}

static bool
begin(struct work *w)
{
	const char *requested =
	    forge_escalates(&w->forge) ? "escalation" : "primary";
	char commit[65];

	secret_draw(w->run->seed, "kernelforge", w->op->name,
	    w->forge.iteration, &w->seeds);
	(void)snprintf(w->route, sizeof w->route, "requested=%s", requested);
	json_decref(w->record);
	w->record = NULL;
	if (state_now(w) != LEDGER_NONE)
		return true;
	lab_seed_commit(w->seeds.seed, w->seeds.nonce, commit);
	return append(w, LEDGER_ATTEMPTED,
	    json_pack("{s:s}", "seed_commit", commit));
}

static void
note_degradation(struct work *w)
{
	if (strstr(w->route, "reason=configured") ||
	    strstr(w->route, "reason=direct"))
		return;
	rundir_trace(w->run->dir, 0,
	    &(struct rundir_span){
	        .name = "degradation",
	        .parent = w->run->span,
	        .start_us = clock_mono_us(),
	        .end_us = clock_mono_us(),
	        .status = "ok",
	        .attributes = json_pack("{s:s, s:i, s:s}", "op", w->op->name,
	            "iteration", (int)w->forge.iteration, "route", w->route),
	    });
}

/* The answer's text into the record; false: the work ends or fails. */
static bool
ask(struct work *w, enum forge_event *ret)
{
	struct model_question q = {
		.role = "kernelforge",
		.op = w->op->name,
		.iteration = w->forge.iteration,
		.escalate = forge_escalates(&w->forge),
		.messages = w->messages,
	};
	struct model_answer a;
	struct model_failure f;

	if (model_ask(w->run->model, &q, &a, &f) == ERR_OK) {
		(void)snprintf(w->route, sizeof w->route, "%s", a.route);
		w->record = json_pack("{s:s, s:i, s:O, s:s, s:s, s:s}", "op",
		    w->op->name, "iteration", (int)w->forge.iteration, "asked",
		    w->messages, "answer", a.content, "route", a.route,
		    "request_id", a.request_id);
		model_answer_done(&a);
		note_degradation(w);
		return true;
	}
	if (f.unreachable) {
		w->e = why_set(w->why, ERR_ENV,
		    "the gateway is unreachable: %s", f.text);
		return false;
	}
	if (*f.route)
		(void)snprintf(w->route, sizeof w->route, "%s", f.route);
	w->record =
	    json_pack("{s:s, s:i, s:s, s:s}", "op", w->op->name, "iteration",
	        (int)w->forge.iteration, "class", f.class, "failure", f.text);
	*ret = give_up(w, LEDGER_ABANDONED,
	    &(struct prompt_feedback){ .class = f.class, .message = f.text });
	return false;
}

/* The record that a run before a crash left behind. */
static bool
recall(struct work *w)
{
	char name[16];
	const char *route;

	w->record = rundir_read_record(rundir_path(w->run->dir), w->op->name,
	    try_name(w, name));
	route = json_string_value(json_object_get(w->record, "route"));
	if (!route || !json_is_string(json_object_get(w->record, "answer")))
		return false;
	(void)snprintf(w->route, sizeof w->route, "%s", route);
	return true;
}

static enum forge_event
generate(struct work *w)
{
	enum forge_event ev = FORGE_FAIL;
	struct why why;
	json_t *answer;
	char name[16];

	term_progress("kernelforge %-10s %u  asking the %s model", w->op->name,
	    w->forge.iteration,
	    forge_escalates(&w->forge) ? "escalation" : "primary");
	if (!begin(w))
		return ev;
	if (state_now(w) == LEDGER_ATTEMPTED || !recall(w)) {
		if (!ask(w, &ev))
			return ev;
		save_record(w);
	}
	if (state_now(w) == LEDGER_ATTEMPTED &&
	    !append(w, LEDGER_GENERATED, NULL))
		return ev;
	answer = json_object_get(w->record, "answer");
	candidate_done(&w->candidate);
	if (candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &w->candidate, &why) != ERR_OK)
		return give_up(w, LEDGER_ABANDONED,
		    &(struct prompt_feedback){ .class = "parse",
		        .message = why.text });
	w->e = rundir_write_kernel(w->run->dir, w->op->name, try_name(w, name),
	    &w->candidate, w->why);
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

	if (w->e == ERR_OK && s && r->status == LAB_STAGE_PASSED &&
	    ledger_may(state_now(w), s))
		append(w, s, NULL);
}

/* The verdict as feedback: the first failing case and its facts. */
static struct prompt_feedback
feedback_of(const struct work *w)
{
	const struct lab_report *r = &w->report;
	struct prompt_feedback fb = {
		.class = *r->class ? r->class : lab_verdict_name(r->verdict),
		.message = r->message,
		.suspect = r->suspect,
	};

	for (size_t i = 0; i < r->ncases && !fb.case_name; i++)
		if (!r->cases[i].passed) {
			fb.case_name = r->cases[i].name;
			fb.dtype = r->cases[i].dtype;
			fb.max_abs_diff = r->cases[i].max_abs_diff;
			fb.bound_ratio = r->cases[i].bound_ratio;
		}
	return fb;
}

static enum forge_event
fail_verdict(struct work *w, enum ledger_state s)
{
	struct prompt_feedback fb = feedback_of(w);

	return give_up(w, s, &fb);
}

static enum forge_event
compile(struct work *w)
{
	struct exam_job job = {
		.op = w->op,
		.candidate = &w->candidate,
		.upto = LAB_NSTAGES - 1,
		.seeds = &w->seeds,
		.on_stage = on_stage,
		.arg = w,
	};

	exam_run(w->run, &job, &w->report);
	if (w->e != ERR_OK)
		return FORGE_FAIL;
	json_object_set_new(w->record, "judged",
	    lab_report_json(w->op, &w->report));
	if (state_now(w) == LEDGER_COMPILED ||
	    state_now(w) == LEDGER_SMOKE_PASSED)
		return FORGE_PASS;
	return fail_verdict(w, LEDGER_ABANDONED);
}

static enum forge_event
smoke(struct work *w)
{
	if (state_now(w) == LEDGER_SMOKE_PASSED)
		return FORGE_PASS;
	return fail_verdict(w, LEDGER_ABANDONED);
}

static bool
claim(struct work *w)
{
	char *reveal = exam_reveal(&w->seeds);
	json_t *extra = json_pack("{s:s, s:s, s:i, s:f, s:s}", "seed_reveal",
	    reveal, "source_sha256", w->report.source_sha256, "holdouts",
	    (int)w->op->nholdouts, "worst_bound_ratio", exam_worst(&w->report),
	    "device", lab_device(w->run->lab));

	free(reveal);
	return append(w, LEDGER_VERIFIED_CORRECT, extra);
}

/* The claimed kernel once more, with other seeds: the scorecard's truth. */
static void
audit(struct work *w)
{
	struct secret seeds;
	struct lab_report r;
	struct exam_job job = {
		.op = w->op,
		.candidate = &w->candidate,
		.upto = LAB_NSTAGES - 1,
		.seeds = &seeds,
	};

	secret_draw(w->run->seed, "audit", w->op->name, w->forge.iteration,
	    &seeds);
	w->run->role = "audit";
	exam_run(w->run, &job, &r);
	w->run->role = "kernelforge";
	json_object_set_new(w->record, "audit", lab_report_json(w->op, &r));
}

/* A run that stopped between the claim and its audit owes the audit. */
static void
audit_again(struct work *w)
{
	json_t *answer;

	if (!recall(w) || json_object_get(w->record, "audit"))
		return;
	answer = json_object_get(w->record, "answer");
	if (candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &w->candidate, NULL) != ERR_OK)
		return;
	audit(w);
	save_record(w);
}

static enum forge_event
holdouts(struct work *w)
{
	if (w->report.verdict == LAB_VERIFIED_CORRECT) {
		if (!claim(w))
			return FORGE_FAIL;
		audit(w);
		save_record(w);
		return FORGE_PASS;
	}
	return fail_verdict(w,
	    w->report.verdict == LAB_VERIFIED_INCORRECT
	        ? LEDGER_VERIFIED_INCORRECT
	        : LEDGER_ABANDONED);
}

static enum forge_event
refine(struct work *w)
{
	return forge_budget(&w->forge);
}

/* ---- giving a candidate up */

static void
add_feedback(struct work *w, const struct prompt_feedback *fb)
{
	const char *answer =
	    json_string_value(json_object_get(w->record, "answer"));
	size_t before = json_array_size(w->messages);
	json_t *turns = json_array();

	/* What was asked must not grow with the turns that follow. */
	json_object_set_new(w->record, "asked", json_deep_copy(w->messages));
	if (answer)
		prompt_add_feedback(w->messages, answer, fb);
	for (size_t i = before; i < json_array_size(w->messages); i++)
		json_array_append(turns, json_array_get(w->messages, i));
	json_object_set_new(w->record, "feedback", turns);
}

/*
 * Ends the iteration in state s.  The conversation goes on only where there
 * was an answer to speak about; a gateway's failure is not the model's.
 */
static enum forge_event
give_up(struct work *w, enum ledger_state s, const struct prompt_feedback *fb)
{
	char *reveal = exam_reveal(&w->seeds);
	json_t *extra = json_pack("{s:o, s:o, s:o, s:s}", "class",
	    utf8_json(fb->class), "message", utf8_json(fb->message), "suspect",
	    utf8_json(fb->suspect), "seed_reveal", reveal);

	free(reveal);
	if (fb->case_name)
		json_object_set_new(extra, "failing_cases",
		    exam_failing(&w->report));
	add_feedback(w, fb);
	save_record(w);
	append(w, s, extra);
	return FORGE_FAIL;
}

static void
save_record(struct work *w)
{
	char name[16];

	if (w->e == ERR_OK)
		w->e = rundir_write_record(w->run->dir, w->op->name,
		    try_name(w, name), w->record, w->why);
}
