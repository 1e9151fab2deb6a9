/*
 * A run from its options to its exit code.
 *
 * The order is chosen so that a failure leaves as much as possible behind:
 * the directory and run.json first, then device and gateway, then the work;
 * whatever ends the work, the report is written from what is on disk.  A run
 * that is gone on with is left as it was until device and gateway are there.
 */
#include "agent/run_all.h"

#include "agent/ledger/anchored_files.h"
#include "agent/model/model_retry.h"
#include "agent/run/budget.h"
#include "agent/run/lost_tries.h"
#include "agent/run/note_degradation.h"
#include "agent/run/other_lab.h"
#include "agent/run/progress_board.h"
#include "agent/run/resume_checks.h"
#include "agent/run/run_file.h"
#include "agent/run/run_jobs.h"
#include "agent/run/run_progress.h"
#include "agent/run/run_secrets.h"
#include "agent/run/shard.h"
#include "agent/run/worker_pool.h"
#include "agent/telling/expectations.h"
#include "agent/telling/run_report.h"
#include "agent/text/term.h"
#include "base/chained_journal.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/seal.h"
#include "base/stop.h"
#include "base/terminal.h"
#include "lab/lab.h"
#include "ops/op.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that a run owns. */
struct session {
	const struct run_options *o;
	struct run_scenario scenario;
	struct run run;
	struct run_tally tally;
	struct lab_machine machine;
	struct other_lab_conf other;
	struct journal *naive;
	size_t nworkers;
	json_t *json;   /* run.json */
	bool is_open;   /* the directory is ours to write */
	bool is_sealed; /* a resumed run's run.json was as it was left */
	char fresh_seed[DIGEST_HEX];
	uint64_t start_us;
	struct why why;
};

static void warn_of_options(const struct session *s);
static enum err session_open(struct session *s);
static enum err session_work(struct session *s);
static int session_end(struct session *s, enum err e);
static void session_close(struct session *s);
static void say_why(struct session *s, enum err e);

int
run_all(const struct run_options *o)
{
	struct session s = { .o = o, .start_us = clock_mono_us() };
	enum err e;
	int code;

	/* Before anything is made: a line that is put right must find no run of
	 * the wrong one in its place. */
	if (run_secrets_take(o, &s.why) != ERR_OK ||
	    model_check(o->gateway, o->key, &s.why) != ERR_OK) {
		log_error("run", "%s", s.why.text);
		return EXIT_USAGE;
	}
	stop_install();
	s.run.start_us = s.start_us;
	e = session_open(&s);
	if (e == ERR_OK) {
		warn_of_options(&s);
		e = session_work(&s);
	}
	term_progress_end();
	if (e != ERR_OK)
		say_why(&s, e);
	code = s.is_open ? session_end(&s, e) : (int)err_exit_code(e);
	/* ERR_EXISTS is bad use here: the directory was named by the user. */
	if (!s.is_open && e == ERR_EXISTS)
		code = EXIT_USAGE;
	session_close(&s);
	return code;
}

/* What is understood, and does less than it seems to. */
static void
warn_of_options(const struct session *s)
{
	const struct run_scenario_limits *l = &s->scenario.limits;

	if (l->max_micro_usd && l->input_micro_usd + l->output_micro_usd == 0)
		log_warn("run",
		    "--max-usd without --price counts what a gateway says that "
		    "an answer cost, and where none says it, nothing");
}

/* What ended it, and the command that goes on. */
static void
say_why(struct session *s, enum err e)
{
	log_error("run", "%s", s->why.text);
	/* What the ledger refuses, it would refuse again. */
	if (s->is_open && e != ERR_STATE)
		log_info("run",
		    "what was recorded is kept; to go on: kernelforge run "
		    "--resume --out %s --gateway URL",
		    s->o->out);
}

/* ---- opening */

static enum err
check_profile(const struct session *s, struct why *why)
{
	if (s->o->profile && !forge_profile_find(s->o->profile))
		return why_set(why, ERR_RANGE,
		    "--profile: found \"%s\", expected %s", s->o->profile,
		    forge_profile_names());
	if (s->o->breaker && !dependency_profile_find(s->o->breaker))
		return why_set(why, ERR_RANGE,
		    "--breaker: found \"%s\", expected %s", s->o->breaker,
		    dependency_profile_names());
	return ERR_OK;
}

static void
replace_number(int64_t *n, int64_t by)
{
	if (by)
		*n = by;
}

/* What a command line says of limits goes over the plan's, a resumed run's
 * too: a budget that is used up may be raised. */
static void
take_limits(struct session *s)
{
	const struct run_scenario_limits *l = &s->o->limits;
	struct run_scenario_limits *to = &s->scenario.limits;

	replace_number(&to->answer_tokens, l->answer_tokens);
	replace_number(&to->first_token_ms, l->first_token_ms);
	replace_number(&to->idle_ms, l->idle_ms);
	replace_number(&to->answer_ms, l->answer_ms);
	replace_number(&to->max_tokens, l->max_tokens);
	replace_number(&to->max_minutes, l->max_minutes);
	replace_number(&to->max_iterations, l->max_iterations);
	replace_number(&to->max_micro_usd, l->max_micro_usd);
	replace_number(&to->input_micro_usd, l->input_micro_usd);
	replace_number(&to->output_micro_usd, l->output_micro_usd);
	if (s->o->breaker)
		s->scenario.breaker = s->o->breaker;
}

static enum err
read_scenario(struct session *s)
{
	enum err e = check_profile(s, &s->why);

	if (e == ERR_OK && s->o->scenario_file)
		e = run_scenario_read(s->o->scenario_file, &s->scenario,
		    &s->why);
	for (size_t i = 0; e == ERR_OK && i < s->o->nops; i++)
		e = run_scenario_add_op(&s->scenario, s->o->ops[i], &s->why);
	if (e != ERR_OK)
		return e;
	if (s->scenario.nops == 0)
		return why_set(&s->why, ERR_SYNTAX,
		    "no operators: give --scenario FILE or --op NAME");
	if (s->o->shards) {
		e = shard_take(&s->scenario, s->o->shard, s->o->shards,
		    &s->why);
		if (e != ERR_OK)
			return e;
	}
	if (s->o->profile)
		s->scenario.profile = s->o->profile;
	if (s->o->fewshot)
		s->scenario.fewshot = true;
	if (s->o->no_naive)
		s->scenario.naive = false;
	if (s->o->model)
		s->scenario.model = s->o->model;
	if (s->o->escalation)
		s->scenario.escalation = s->o->escalation;
	take_limits(s);
	return ERR_OK;
}

/*
 * A run without a seed of its own gets one here and keeps it in run.json:
 * secret from models and kernels as any seed is, but there for a resumed run,
 * which must judge by the seed that the ledger committed to.
 */
static const char *
seed_of(struct session *s)
{
	uint8_t fresh[DIGEST_BYTES];

	if (s->o->seed)
		return s->o->seed;
	if (s->scenario.seed)
		return s->scenario.seed;
	digest_random(fresh, sizeof fresh);
	digest_hex(fresh, s->fresh_seed);
	return s->fresh_seed;
}

static enum err
begin_run(struct session *s)
{
	enum err e = read_scenario(s);

	if (e != ERR_OK)
		return e;
	s->run.seed = seed_of(s);
	e = rundir_open(s->o->out, false, &s->run.dir, &s->why);
	if (e == ERR_OK)
		s->json = run_file_new(s->o, &s->scenario, s->run.seed);
	return e;
}

static enum err
changed(const struct session *s, json_t *problems, struct why *why)
{
	const char *first = json_string_value(json_array_get(problems, 0));

	return first ? why_set(why, ERR_STATE, "%s cannot be gone on with: %s",
	                   s->o->out, first)
	             : ERR_OK;
}

/*
 * A run that ended says what its files were: it is gone on with only if they
 * still are.  The journals' starts stay anchored until it ends again.
 */
static enum err
check_untouched(struct session *s)
{
	json_t *anchors = json_object_get(s->json, "anchors");
	json_t *problems = json_array();
	enum err e;

	if (anchors)
		anchor_drop_late(anchors);
	if (anchors && json_is_integer(json_object_get(s->json, "exit"))) {
		if (!s->is_sealed)
			json_array_append_new(problems,
			    json_string("run.json: changed since the run "
			                "ended"));
		anchor_check(s->o->out, anchors, problems);
		/* They change from here on; a journal only grows, and its start
		 * can be checked again. */
		json_object_del(anchors, "files");
	} else if (anchors)
		anchor_check_start(s->o->out, anchors, problems);
	e = changed(s, problems, &s->why);
	json_decref(problems);
	return e;
}

static enum err
resume_run(struct session *s)
{
	enum err e = rundir_open(s->o->out, true, &s->run.dir, &s->why);
	json_t *run = NULL;

	if (e == ERR_OK)
		e = run_file_resume(s->o, &run, &s->scenario, &s->why);
	if (e != ERR_OK)
		return e;
	take_limits(s);
	s->run.without = run_file_without(run);
	s->json = run;
	/* Asked now, because the next lines change what is sealed. */
	s->is_sealed = seal_holds(run);
	s->run.seed = s->scenario.seed;
	json_object_set_new(run, "seed", json_string(s->run.seed));
	json_object_set_new(run, "resumed",
	    json_integer(
	        json_integer_value(json_object_get(run, "resumed")) + 1));
	return ERR_OK;
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
on_wait(const struct model_wait *w, void *arg)
{
	budget_wait(arg, w);
	say_waiting(arg, w);
}

static enum err
measure_machine(struct session *s)
{
	enum err e = lab_machine_measure(s->run.lab, &s->machine, &s->why);

	if (e != ERR_OK)
		return e;
	s->run.machine = &s->machine;
	if (isnan(s->machine.peak_gflops))
		log_warn("bench",
		    "the machine is too busy: its peak is not measured");
	/* Of a resumed run the one that its first times were judged by. */
	if (!json_object_get(s->json, "machine"))
		json_object_set_new(s->json, "machine",
		    lab_machine_json(&s->machine));
	return ERR_OK;
}

static uint32_t
launch_ms(const struct session *s)
{
	return s->scenario.deadline_ms
	    ? (uint32_t)s->scenario.deadline_ms
	    : dependency_profile_find(s->scenario.breaker)->launch_ms;
}

static void
open_other_lab(struct session *s)
{
	struct opinion said = { .word = OPINION_NONE };

	s->other = (struct other_lab_conf){
		.url = s->o->other_lab,
		.token = getenv("KERNELFORGE_MCP_TOKEN"),
		.silence_ms = s->o->other_lab_ms,
		.profile = s->scenario.profile,
	};
	s->run.other_conf = &s->other;
	s->run.other_lab = other_lab_new(&s->other);
	/* As its word will name it. */
	opinion_take(&said, "url", s->o->other_lab);
	json_object_set_new(json_object_get(s->json, "arguments"), "lab",
	    json_string(said.url));
}

static enum err
open_tools(struct session *s)
{
	const char *was = resume_device(s->json);
	enum err e;

	s->run.model_conf = (struct model_conf){
		.base_url = s->o->gateway,
		.key = s->o->key,
		.model = s->scenario.model,
		.scenario = s->scenario.name,
		.stream = s->scenario.stream,
		.deadline_ms = (uint32_t)s->scenario.limits.answer_ms,
		.idle_ms = (uint32_t)s->scenario.limits.idle_ms,
		.first_ms = (uint32_t)s->scenario.limits.first_token_ms,
		.answer_tokens = (long)s->scenario.limits.answer_tokens,
		.retry = s->run.without & 1u << RUN_RETRY ? &model_retry_never
		                                          : NULL,
		.on_attempt = degrade_on_attempt,
		.on_wait = on_wait,
		.on_cost = budget_add,
		.may_retry = budget_allows,
		.arg = &s->run,
	};
	e = model_new(&s->run.model_conf, &s->run.model, &s->why);
	/* Where times are taken, one works alone. */
	s->nworkers = !s->o->jobs && resume_is_timed(s->json)
	    ? 1
	    : run_jobs_workers(s->o->jobs, s->scenario.nops);
	s->run.lab_conf = (struct lab_conf){
		.deadline_ms = launch_ms(s),
		/* A resumed run's is the one that judged it so far. */
		.device = was ? was : s->o->device,
		.in_turn = run_jobs_fill_cores(s->nworkers),
	};
	if (e == ERR_OK)
		e = lab_open(&s->run.lab_conf, &s->run.lab, &s->why);
	if (s->o->other_lab)
		open_other_lab(s);
	if (e == ERR_OK)
		e = resume_keep_device(s->json, lab_device(s->run.lab),
		    &s->why);
	return e == ERR_OK && resume_is_timed(s->json) ? measure_machine(s) : e;
}

static enum err
session_open(struct session *s)
{
	enum err e;

	run_scenario_init(&s->scenario);
	s->run.scenario = &s->scenario;
	(void)pthread_mutex_init(&s->tally.lock, NULL);
	s->run.tally = &s->tally;
	s->run.without = s->o->without;
	e = s->o->resume ? resume_run(s) : begin_run(s);
	if (e != ERR_OK)
		return e;
	/* A torn line is cut before anybody asks whether a file was changed. */
	e = open_ledger(s);
	if (e == ERR_OK && s->o->resume)
		e = check_untouched(s);
	if (e == ERR_OK && s->o->resume)
		e = resume_check_records(&s->run, s->o->out, &s->why);
	if (e == ERR_OK) {
		budget_recall(&s->run);
		s->run.forgiven = lost_tries_forgiven(s->run.ledger);
	}
	/* A run that is there is written to when nothing is left to refuse: its
	 * exit and its ledger's end stay what they were. */
	if (e == ERR_OK && s->o->resume)
		e = open_tools(s);
	if (e != ERR_OK)
		return e;
	s->is_open = true;
	/* Until it ends again it is a run that did not end, and that is what
	 * its check says if it is killed. */
	json_object_set_new(s->json, "exit", json_null());
	json_object_set_new(s->json, "ended", json_null());
	e = run_file_write(s->o->out, s->json, &s->why);
	return e == ERR_OK && !s->o->resume ? open_tools(s) : e;
}

/* ---- working */

static enum err
session_work(struct session *s)
{
	struct run_jobs jobs = {
		.run = &s->run,
		.naive = s->naive,
		.nworkers = s->nworkers,
	};
	bool is_shown =
	    s->scenario.nops > 1 && terminal_is_drawn(stderr) && !s->o->verbose;
	enum err e;

	if (is_shown)
		s->run.board = board_new(s->scenario.name, s->scenario.ops,
		    s->scenario.nops, stderr);
	e = run_jobs_do(&jobs, &s->why);
	board_free(s->run.board);
	s->run.board = NULL;
	return e == ERR_OK ? lost_tries_look(&s->run, &s->why) : e;
}

/* ---- ending */

/* The lines that close the journals; what is closed then is anchored. */
static enum err
close_journals(struct session *s, enum err ended)
{
	const char *word = ended == ERR_OK ? NULL
	    : stop_asked()                 ? "stopped"
	    : s->tally.ended               ? s->tally.ended
	                                   : "environment";
	enum err e = ledger_end(s->run.ledger, word, &s->why);

	return e == ERR_OK ? journal_end(s->naive, &s->why) : e;
}

/* Everything that follows from the directory, while it is still ours. */
static int
write_report(struct session *s, enum err e, int code)
{
	struct run_report *r = NULL;
	json_t *checks;

	if (run_report_load(s->o->out, RUN_REPORT_ENDING, &r, &s->why) !=
	    ERR_OK) {
		log_error("report", "%s", s->why.text);
		return code ? code : EXIT_ENV;
	}
	checks = expectations_check(&s->scenario, &r->standings, &r->scorecard);
	if (code == EXIT_DONE) {
		expectations_say(checks);
		code = run_report_exit(r, checks);
	}
	json_object_set_new(r->run, "expectations", checks);
	json_object_set_new(r->run, "exit", json_integer(code));
	/* The journals hold all that follows from them. */
	if (run_report_write(r, &s->why) != ERR_OK) {
		log_error("report",
		    "%s (kernelforge report %s makes it when that is mended)",
		    s->why.text, s->o->out);
		code = EXIT_ENV;
	}
	/* A broken machine gets its one line; the rest is in the files. */
	if (e == ERR_OK || e == ERR_CLOSED || s->tally.ended)
		run_report_print(r);
	run_report_free(r);
	return code;
}

static int
session_end(struct session *s, enum err e)
{
	char ended[CLOCK_ISO_BYTES];
	int code = e == ERR_OK ? EXIT_DONE : (int)err_exit_code(e);

	/* Somebody stopped it; a budget that is used up is a judgement. */
	if (e == ERR_CLOSED)
		code = stop_asked() ? EXIT_ENV : EXIT_JUDGED;
	clock_iso(clock_wall_ms(), ended);
	json_object_set_new(s->json, "ended", json_string(ended));
	json_object_set_new(s->json, "wall_ms",
	    json_integer((json_int_t)((clock_mono_us() - s->start_us) / 1000)));
	/* Before the anchors are made: the trace is among the files that they
	 * hash. */
	rundir_end_trace(s->run.dir);
	budget_keep(&s->run);
	if (close_journals(s, e) != ERR_OK ||
	    run_file_write(s->o->out, s->json, &s->why) != ERR_OK) {
		log_error("run", "%s", s->why.text);
		return code ? code : EXIT_ENV;
	}
	return write_report(s, e, code);
}

static void
session_close(struct session *s)
{
	(void)pthread_mutex_destroy(&s->tally.lock);
	lab_close(s->run.lab);
	other_lab_free(s->run.other_lab);
	model_free(s->run.model);
	journal_close(s->naive);
	ledger_free(s->run.ledger);
	rundir_close(s->run.dir);
	json_decref(s->json);
	json_decref(s->run.degraded);
	json_decref(s->run.forgiven);
	run_scenario_done(&s->scenario);
}
