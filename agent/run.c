/*
 * A run from its options to its exit code.
 *
 * The order is chosen so that a failure leaves as much as possible behind:
 * the directory and run.json first, then device and gateway, then the work;
 * whatever ends the work, the report is written from what is on disk.
 */
#include "agent/run.h"

#include "agent/expect.h"
#include "agent/naive.h"
#include "agent/report.h"
#include "agent/term.h"
#include "agent/work.h"
#include "base/clock.h"
#include "base/journal.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opts.h"
#include "lab/lab.h"
#include "ops/op.h"
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that a run owns. */
struct session {
	const struct run_options *o;
	struct scenario scenario;
	struct run run;
	struct lab_machine machine;
	struct journal *naive;
	json_t *json; /* run.json */
	uint64_t start_us;
	struct why why;
};

static enum err session_open(struct session *s);
static enum err session_work(struct session *s);
static int session_end(struct session *s, enum err e);
static void session_close(struct session *s);

int
run_all(const struct run_options *o)
{
	struct session s = { .o = o, .start_us = clock_mono_us() };
	enum err e = session_open(&s);
	int code;

	if (e == ERR_OK)
		e = session_work(&s);
	term_progress_end();
	if (e != ERR_OK)
		log_error("run", "%s%s", s.why.text,
		    s.json ? " (what was recorded is kept; --resume goes on)"
		           : "");
	code = s.json ? session_end(&s, e) : (int)err_exit_code(e);
	/* ERR_EXISTS is bad use here: the directory was named by the user. */
	if (!s.json && e == ERR_EXISTS)
		code = EXIT_USAGE;
	session_close(&s);
	return code;
}

/* ---- opening */

static enum err
read_scenario(struct session *s)
{
	enum err e = ERR_OK;

	scenario_init(&s->scenario);
	if (s->o->scenario_file)
		e = scenario_read(s->o->scenario_file, &s->scenario, &s->why);
	for (size_t i = 0; e == ERR_OK && i < s->o->nops; i++)
		e = scenario_add_op(&s->scenario, s->o->ops[i], &s->why);
	if (e != ERR_OK)
		return e;
	if (s->scenario.nops == 0)
		return why_set(&s->why, ERR_SYNTAX,
		    "no operators: give --scenario FILE or --op NAME");
	if (s->o->profile && !forge_profile_find(s->o->profile))
		return why_set(&s->why, ERR_RANGE,
		    "--profile: found \"%s\", expected demo or regression",
		    s->o->profile);
	if (s->o->profile)
		s->scenario.profile = s->o->profile;
	if (s->o->no_naive)
		s->scenario.naive = false;
	s->run.seed = s->o->seed ? s->o->seed : s->scenario.seed;
	s->run.scenario = &s->scenario;
	return ERR_OK;
}

static json_t *
ops_json(const struct scenario *s)
{
	json_t *ops = json_array();

	for (size_t i = 0; i < s->nops; i++)
		json_array_append_new(ops, json_string(s->ops[i]));
	return ops;
}

static json_t *
run_json(const struct session *s)
{
	const struct scenario *sc = &s->scenario;
	char started[CLOCK_ISO_BYTES];

	clock_iso(clock_wall_ms(), started);
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:n, s:n, "
	                 "s:b, "
	                 "s:{s:s, s:s, s:s}, s:{s:s, s:s, s:b, s:I, s:b}}",
	    "scenario", sc->name, "seed", s->run.seed ? s->run.seed : "",
	    "fingerprint", "", "chaos_run_hash", "", "ops", ops_json(sc),
	    "profile", sc->profile, "device", "", "started", started, "ended",
	    "exit", "resumed", s->o->resume, "versions", "kernelforge",
	    opts_version(), "libcurl",
	    curl_version_info(CURLVERSION_NOW)->version, "jansson",
	    JANSSON_VERSION, "arguments", "gateway", s->o->gateway, "model",
	    sc->model, "stream", sc->stream, "deadline_ms",
	    (json_int_t)sc->deadline_ms, "naive", sc->naive);
}

/* Keeps what an earlier part of a resumed run wrote. */
static void
keep_start(struct session *s)
{
	json_t *old = NULL, *started;

	if (rundir_read_json(s->o->out, "run.json", &old, NULL) != ERR_OK)
		return;
	started = json_object_get(old, "started");
	if (started)
		json_object_set(s->json, "started", started);
	json_decref(old);
}

static enum err
open_ledger(struct session *s)
{
	char *path = rundir_file(s->run.dir, "ledger.jsonl");
	char *naive = rundir_file(s->run.dir, "naive.jsonl");
	size_t cut = 0;
	enum err e = ledger_open(path, &s->run.ledger, &cut, &s->why);

	if (e == ERR_OK && cut > 0) {
		log_warn("ledger", "cut a torn last line of %zu bytes", cut);
		rundir_trace(s->run.dir, 0,
		    &(struct rundir_span){
		        .name = "ledger.cut",
		        .start_us = clock_mono_us(),
		        .end_us = clock_mono_us(),
		        .status = "ok",
		        .attributes =
		            json_pack("{s:I}", "bytes", (json_int_t)cut),
		    });
	}
	if (e == ERR_OK)
		e = journal_open(naive, JOURNAL_FSYNC, &s->naive, NULL,
		    &s->why);
	free(path);
	free(naive);
	return e;
}

static void
on_attempt(const struct model_attempt *a, void *arg)
{
	struct run *r = arg;

	rundir_trace(r->dir, 0,
	    &(struct rundir_span){
	        .name = "model.attempt",
	        .parent = r->span,
	        .start_us = a->start_us,
	        .end_us = a->end_us,
	        .status = a->outcome,
	        .attributes = json_pack("{s:s, s:s, s:i, s:i, s:i, s:s}",
	            "role", r->role, "op", r->op, "iteration",
	            (int)r->iteration, "attempt", (int)a->number, "http",
	            a->status, "decision", a->decision),
	    });
	if (!a->retries)
		return;
	rundir_trace(r->dir, 0,
	    &(struct rundir_span){
	        .name = "retry",
	        .parent = r->span,
	        .start_us = a->end_us,
	        .end_us = a->end_us + (uint64_t)a->delay_ms * 1000,
	        .status = a->decision,
	        .attributes = json_pack("{s:s, s:i}", "op", r->op, "delay_ms",
	            (int)a->delay_ms),
	    });
	term_progress("%-11s %-10s %u  %s: asking again in %u ms", r->role,
	    r->op, r->iteration, a->outcome, a->delay_ms);
}

static enum err
measure_machine(struct session *s)
{
	enum err e = lab_machine_measure(s->run.lab, &s->machine, &s->why);

	if (e != ERR_OK)
		return e;
	s->run.machine = &s->machine;
	json_object_set_new(s->json, "machine", lab_machine_json(&s->machine));
	return ERR_OK;
}

static enum err
open_tools(struct session *s)
{
	struct lab_conf lab = {
		.deadline_ms = (uint32_t)s->scenario.deadline_ms,
		.device = s->o->device,
	};
	struct model_conf model = {
		.base_url = s->o->gateway,
		.key = s->o->key,
		.model = s->scenario.model,
		.scenario = s->scenario.name,
		.stream = s->scenario.stream,
		.on_attempt = on_attempt,
		.arg = &s->run,
	};
	enum err e = model_new(&model, &s->run.model, &s->why);

	if (e == ERR_OK)
		e = lab_open(&lab, &s->run.lab, &s->why);
	if (e == ERR_OK)
		json_object_set_new(s->json, "device",
		    json_string(lab_device(s->run.lab)));
	return e == ERR_OK && s->o->bench ? measure_machine(s) : e;
}

static enum err
session_open(struct session *s)
{
	enum err e = read_scenario(s);

	if (e == ERR_OK)
		e = rundir_open(s->o->out, s->o->resume, &s->run.dir, &s->why);
	if (e != ERR_OK)
		return e;
	e = open_ledger(s);
	if (e != ERR_OK)
		return e;
	s->json = run_json(s);
	if (s->o->resume)
		keep_start(s);
	e = rundir_write_json(s->o->out, "run.json", s->json, &s->why);
	if (e == ERR_OK)
		e = open_tools(s);
	return e;
}

/* ---- working */

static void
collect(json_t *line, void *arg)
{
	json_array_append(arg, json_object_get(line, "op"));
}

static bool
has_naive(const struct session *s, const char *op)
{
	char *path = rundir_file(s->run.dir, "naive.jsonl");
	json_t *ops = json_array(), *name;
	bool found = false;
	size_t i;

	(void)journal_check(path, collect, ops, NULL, NULL);
	json_array_foreach(ops, i, name)
		found = found || strcmp(json_string_value(name), op) == 0;
	json_decref(ops);
	free(path);
	return found;
}

typedef enum err part_fn(struct session *s, const struct op *op);

static enum err
naive_part(struct session *s, const struct op *op)
{
	if (!s->scenario.naive || has_naive(s, op->name))
		return ERR_OK;
	return naive_operator(&s->run, op, s->naive, &s->why);
}

static enum err
forge_part(struct session *s, const struct op *op)
{
	return work_operator(&s->run, op, &s->why);
}

static enum err
part(struct session *s, const char *name, part_fn *fn)
{
	enum err e = ERR_OK;

	for (size_t i = 0; e == ERR_OK && i < s->scenario.nops; i++) {
		uint64_t start = clock_mono_us();

		s->run.span = rundir_span_id(s->run.dir);
		e = fn(s, op_find(s->scenario.ops[i]));
		rundir_trace(s->run.dir, s->run.span,
		    &(struct rundir_span){
		        .name = name,
		        .start_us = start,
		        .end_us = clock_mono_us(),
		        .status = err_name(e),
		        .attributes =
		            json_pack("{s:s}", "op", s->scenario.ops[i]),
		    });
	}
	return e;
}

static enum err
session_work(struct session *s)
{
	enum err e = part(s, "naive", naive_part);

	return e == ERR_OK ? part(s, "forge", forge_part) : e;
}

/* ---- ending */

static void
say_checks(json_t *checks)
{
	size_t i;
	json_t *check;

	json_array_foreach(checks, i, check) {
		char *want, *found;

		if (json_is_true(json_object_get(check, "held")))
			continue;
		want = json_dumps(json_object_get(check, "expected"),
		    JSON_ENCODE_ANY);
		found = json_dumps(json_object_get(check, "found"),
		    JSON_ENCODE_ANY);
		log_error("expect", "%s: expected %s, found %s",
		    json_string_value(json_object_get(check, "what")), want,
		    found);
		free(want);
		free(found);
	}
}

static int
session_end(struct session *s, enum err e)
{
	struct report *r = NULL;
	char ended[CLOCK_ISO_BYTES];
	json_t *checks;
	int code = e == ERR_OK ? EXIT_DONE : (int)err_exit_code(e);

	clock_iso(clock_wall_ms(), ended);
	json_object_set_new(s->json, "ended", json_string(ended));
	json_object_set_new(s->json, "wall_ms",
	    json_integer((json_int_t)((clock_mono_us() - s->start_us) / 1000)));
	if (rundir_write_json(s->o->out, "run.json", s->json, &s->why) !=
	        ERR_OK ||
	    report_load(s->o->out, &r, &s->why) != ERR_OK) {
		log_error("report", "%s", s->why.text);
		return code ? code : EXIT_ENV;
	}
	checks = expect_check(&s->scenario, &r->standings, &r->scorecard);
	if (code == EXIT_DONE && !expect_all_hold(checks)) {
		say_checks(checks);
		code = EXIT_JUDGED;
	}
	json_object_set_new(r->run, "expectations", checks);
	json_object_set_new(r->run, "exit", json_integer(code));
	if (report_write(r, &s->why) != ERR_OK) {
		log_error("report", "%s", s->why.text);
		code = code ? code : EXIT_ENV;
	}
	/* A broken environment gets its one line; the rest is in the files. */
	if (e == ERR_OK)
		report_print(r);
	report_free(r);
	return code;
}

static void
session_close(struct session *s)
{
	lab_close(s->run.lab);
	model_free(s->run.model);
	journal_close(s->naive);
	ledger_free(s->run.ledger);
	rundir_close(s->run.dir);
	json_decref(s->json);
	scenario_done(&s->scenario);
}
