/*
 * The baseline's steps, each a function: ask, smoke and claim, measure.
 */
#include "agent/run/naive.h"

#include "agent/model/prompt.h"
#include "agent/run/claim_truth.h"
#include "agent/run/lab_exam.h"
#include "agent/run/record_hash.h"
#include "agent/run/run_progress.h"
#include "agent/run/stop_asking.h"
#include "agent/text/utf8.h"
#include "base/mem.h"
#include <stdlib.h>

struct naive {
	struct run *run;
	const struct op *op;
	struct secret_seed seeds;
	struct candidate candidate;
	bool has_candidate, claimed;
	struct lab_report *report; /* owned: too large for a stack */
	enum truth truth;          /* of what was claimed */
	json_t *line;              /* owned: what naive.jsonl gets */
	json_t *record;            /* owned: kernels/OP/naive.json */
	struct why *why;
};

static void
set(struct naive *n, const char *key, const char *text)
{
	json_object_set_new(n->line, key, utf8_json(text));
}

/* What came into the record, which is on disk before it is judged. */
static enum err
ask(struct naive *n)
{
	json_t *messages = prompt_open(n->op, n->run->scenario->fewshot);
	struct model_question q = {
		.role = "naive",
		.op = n->op->name,
		.iteration = 1,
		.messages = messages,
	};
	struct model_answer a;
	struct model_failure f;
	json_t *spent;
	bool failed;
	enum err e;

	n->record =
	    json_pack("{s:s, s:o}", "op", n->op->name, "asked", messages);
	e = ask_model(n->run, &q, &a, &f, &spent, &failed, n->why);
	if (e != ERR_OK)
		return e;
	json_object_set_new(n->record, "spent", spent);
	if (failed) {
		json_object_set_new(n->record, "class", utf8_json(f.class));
		json_object_set_new(n->record, "failure", utf8_json(f.text));
		json_object_set_new(n->record, "route", utf8_json(f.route));
	} else {
		json_object_set_new(n->record, "answer",
		    json_string(a.content));
		json_object_set_new(n->record, "route", json_string(a.route));
		model_answer_done(&a);
	}
	return rundir_write_record(n->run->dir, n->op->name, "naive", n->record,
	    n->why);
}

/* A run before this one asked already: its answer is paid for. */
static bool
recall(struct naive *n)
{
	json_t *messages = prompt_open(n->op, n->run->scenario->fewshot);

	n->record =
	    rundir_read_record(rundir_path(n->run->dir), n->op->name, "naive");
	/* The same question only: with other examples or another contract the
	 * old answer is one to something else. */
	if (!json_equal(json_object_get(n->record, "asked"), messages) ||
	    !json_is_string(json_object_get(n->record, "route")) ||
	    (!json_is_string(json_object_get(n->record, "answer")) &&
	        !json_is_string(json_object_get(n->record, "class")))) {
		json_decref(n->record);
		n->record = NULL;
	}
	record_strip(n->record, RECORD_ANSWERED);
	json_decref(messages);
	return n->record != NULL;
}

static const char *
recorded(const struct naive *n, const char *key)
{
	return json_string_value(json_object_get(n->record, key));
}

static enum err
parse(struct naive *n)
{
	json_t *answer = json_object_get(n->record, "answer");
	struct why why;

	set(n, "route", recorded(n, "route"));
	if (!answer) {
		set(n, "class", recorded(n, "class"));
		set(n, "message", recorded(n, "failure"));
		return ERR_OK;
	}
	n->has_candidate =
	    candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &n->candidate, &why) == ERR_OK;
	if (n->has_candidate)
		return rundir_write_kernel(n->run->dir, n->op->name, "naive",
		    &n->candidate, n->why);
	set(n, "class", "parse");
	set(n, "message", why.text);
	return ERR_OK;
}

static enum err
judge(struct naive *n, enum lab_stage upto)
{
	struct lab_exam_job job = {
		.op = n->op,
		.candidate = &n->candidate,
		.upto = upto,
		.seeds = &n->seeds,
	};

	return lab_exam_run(n->run, &job, n->report, n->why);
}

static enum err
smoke_and_claim(struct naive *n)
{
	const struct lab_report *r = n->report;
	enum err e = judge(n, LAB_STAGE_SMOKE);

	n->claimed = e == ERR_OK && r->verdict == LAB_SMOKE_PASSED;
	if (e == ERR_OK && !n->claimed) {
		set(n, "class", r->class);
		set(n, "message", r->message);
	}
	return e;
}

/* null where the lab could not say. */
static json_t *
known(enum truth t, bool is)
{
	return t == TRUTH_UNKNOWN ? json_null() : json_boolean(is);
}

static enum err
measure(struct naive *n)
{
	const struct lab_report *r = n->report;
	enum truth truth;
	bool correct;
	enum err e;

	n->run->role = "truth";
	/* The claim was made on the smoke test alone and stands; this is what
	 * it was worth. */
	e = judge(n, LAB_NSTAGES - 1);
	if (e != ERR_OK)
		return e;
	truth = truth_of_verdict(lab_verdict_name(r->verdict));
	n->truth = truth;
	correct = truth == TRUTH_RIGHT;
	set(n, "class", correct ? "" : r->class);
	set(n, "message", correct ? "" : r->message);
	set(n, "suspect", r->suspect);
	set(n, "truth", truth_name(truth));
	json_object_set_new(n->line, "correct", known(truth, correct));
	json_object_set_new(n->line, "silent_wrong",
	    known(truth, truth == TRUTH_WRONG));
	json_object_set_new(n->line, "failing_cases", lab_exam_failing(r));
	json_object_set_new(n->record, "judged", lab_report_json(n->op, r));
	return ERR_OK;
}

static enum err
steps(struct naive *n)
{
	enum err e = recall(n) ? ERR_OK : ask(n);
	char of_record[DIGEST_HEX];

	if (e == ERR_OK)
		e = parse(n);
	if (e == ERR_OK && n->has_candidate)
		e = smoke_and_claim(n);
	json_object_set_new(n->line, "claimed", json_boolean(n->claimed));
	if (e == ERR_OK && n->claimed)
		e = measure(n);
	if (e != ERR_OK)
		return e;
	record_hash(n->record, RECORD_JUDGED, of_record);
	set(n, "record_sha256", of_record);
	return rundir_write_record(n->run->dir, n->op->name, "naive", n->record,
	    n->why);
}

/* The journal is one, the workers are many. */
static enum err
append(struct run *run, struct journal *lines, json_t *line, struct why *why)
{
	enum err e;

	(void)pthread_mutex_lock(&run->tally->lock);
	e = journal_append(lines, line, why);
	(void)pthread_mutex_unlock(&run->tally->lock);
	return e;
}

static void
say_claim(const struct run *run, const struct naive *n)
{
	if (!n->claimed)
		say_end(run, TERM_DIM, "no claim", "makes no claim");
	else if (n->truth == TRUTH_WRONG)
		say_end(run, TERM_BAD, "silently wrong",
		    "claims it on a smoke test; measured: silently wrong");
	else
		say_end(run, TERM_PLAIN, "claims it",
		    "claims it on a smoke test");
}

enum err
naive_operator(struct run *run, const struct op *op, struct journal *lines,
    struct why *why)
{
	struct naive n = { .run = run,
		.op = op,
		.report = xcalloc(1, sizeof *n.report),
		.why = why };
	enum err e;

	run->role = "naive";
	run->op = op->name;
	run->iteration = 1;
	say_asking(run, false);
	secret_seed_draw(run->seed, "naive", op->name, 1, &n.seeds);
	n.line = json_pack("{s:s, s:b, s:b, s:b, s:s, s:s, s:s, s:[]}", "op",
	    op->name, "claimed", false, "correct", false, "silent_wrong", false,
	    "route", "", "class", "", "message", "", "failing_cases");
	e = steps(&n);
	run->role = "naive";
	if (e == ERR_OK)
		e = append(run, lines, n.line, why);
	if (e == ERR_OK)
		say_claim(run, &n);
	candidate_done(&n.candidate);
	free(n.report);
	json_decref(n.line);
	json_decref(n.record);
	return e;
}
