/*
 * The baseline's steps, each a function: ask, smoke and claim, measure.
 */
#include "agent/naive.h"

#include "agent/exam.h"
#include "agent/prompt.h"
#include "agent/term.h"
#include "agent/utf8.h"

struct naive {
	struct run *run;
	const struct op *op;
	struct secret seeds;
	struct candidate candidate;
	bool has_candidate, claimed;
	json_t *line;   /* owned: what naive.jsonl gets */
	json_t *record; /* owned: kernels/OP/naive.json */
	struct why *why;
};

static void
set(struct naive *n, const char *key, const char *text)
{
	json_object_set_new(n->line, key, utf8_json(text));
}

static enum err
ask(struct naive *n)
{
	json_t *messages = prompt_open(n->op);
	struct model_question q = { "naive", n->op->name, 1, false, messages };
	struct model_answer a;
	struct model_failure f;
	struct why why;
	enum err e = ERR_OK;

	n->record =
	    json_pack("{s:s, s:o}", "op", n->op->name, "asked", messages);
	if (model_ask(n->run->model, &q, &a, &f) != ERR_OK) {
		if (f.unreachable)
			return why_set(n->why, ERR_ENV,
			    "the gateway is unreachable: %s", f.text);
		set(n, "class", f.class);
		set(n, "message", f.text);
		set(n, "route", f.route);
		return ERR_OK;
	}
	set(n, "route", a.route);
	json_object_set_new(n->record, "answer", json_string(a.content));
	json_object_set_new(n->record, "route", json_string(a.route));
	n->has_candidate =
	    candidate_parse_answer(a.content,
	        json_string_length(json_object_get(n->record, "answer")),
	        &n->candidate, &why) == ERR_OK;
	if (n->has_candidate)
		e = rundir_write_kernel(n->run->dir, n->op->name, "naive",
		    &n->candidate, n->why);
	else {
		set(n, "class", "parse");
		set(n, "message", why.text);
	}
	model_answer_done(&a);
	return e;
}

static void
judge(struct naive *n, enum lab_stage upto, struct lab_report *ret)
{
	struct exam_job job = {
		.op = n->op,
		.candidate = &n->candidate,
		.upto = upto,
		.seeds = &n->seeds,
	};

	exam_run(n->run, &job, ret);
}

static void
smoke_and_claim(struct naive *n)
{
	struct lab_report r;

	judge(n, LAB_STAGE_SMOKE, &r);
	n->claimed = r.verdict == LAB_SMOKE_PASSED;
	if (!n->claimed) {
		set(n, "class", r.class);
		set(n, "message", r.message);
	}
}

static void
measure(struct naive *n)
{
	struct lab_report r;
	bool correct;

	n->run->role = "truth";
	judge(n, LAB_NSTAGES - 1, &r);
	correct = r.verdict == LAB_VERIFIED_CORRECT;
	set(n, "class", correct ? "" : r.class);
	set(n, "message", correct ? "" : r.message);
	set(n, "suspect", r.suspect);
	json_object_set_new(n->line, "correct", json_boolean(correct));
	json_object_set_new(n->line, "silent_wrong", json_boolean(!correct));
	json_object_set_new(n->line, "failing_cases", exam_failing(&r));
	json_object_set_new(n->record, "judged", lab_report_json(n->op, &r));
}

static enum err
steps(struct naive *n)
{
	enum err e = ask(n);

	if (e != ERR_OK)
		return e;
	if (n->has_candidate)
		smoke_and_claim(n);
	json_object_set_new(n->line, "claimed", json_boolean(n->claimed));
	if (n->claimed)
		measure(n);
	return rundir_write_record(n->run->dir, n->op->name, "naive", n->record,
	    n->why);
}

enum err
naive_operator(struct run *run, const struct op *op, struct journal *lines,
    struct why *why)
{
	struct naive n = { .run = run, .op = op, .why = why };
	enum err e;

	run->role = "naive";
	run->op = op->name;
	run->iteration = 1;
	term_progress("naive       %-10s 1  asking the primary model",
	    op->name);
	secret_draw(run->seed, "naive", op->name, 1, &n.seeds);
	n.line = json_pack("{s:s, s:b, s:b, s:b, s:s, s:s, s:s, s:[]}", "op",
	    op->name, "claimed", false, "correct", false, "silent_wrong", false,
	    "route", "", "class", "", "message", "", "failing_cases");
	e = steps(&n);
	if (e == ERR_OK)
		e = journal_append(lines, n.line, why);
	candidate_done(&n.candidate);
	json_decref(n.line);
	json_decref(n.record);
	return e;
}
