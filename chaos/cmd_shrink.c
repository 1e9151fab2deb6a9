/*
 * kf-chaos shrink LOG -- COMMAND: of all the faults that acted in a failed
 * run, which few does it take to make COMMAND fail?
 *
 * A fault is a recorded decision: rule, fault, proxy, key and attempt.  The
 * scenario is played again and again with only some of them allowed to act;
 * what else the rules choose is left out.  Upstreams answer from the record of
 * that run (recording.h) and are not asked again.
 */
#include "chaos/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chained_journal.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include "base/opts.h"
#include "chaos/rules/scenario.h"
#include "chaos/trials/client_command.h"
#include "chaos/trials/ddmin.h"
#include "chaos/trials/recording.h"

#define FAULTS_MAX 4096

struct options {
	const char *scenario, *proxy, *out, *seed, *record;
	struct opt_list upstreams;
	int64_t deadline_s;
	bool asks;
};

/* clang-format off */
static const struct opt rows[] = {
	COMMAND_ROW("ask",      OPT_FLAG,   asks,       0, 0,    NULL,        "asks the upstreams for what is not in the record, in each run"),
	COMMAND_ROW("scenario", OPT_STRING, scenario,   0, 0,    "FILE",      "the scenario that LOG is of (required)"),
	COMMAND_ROW("seed",     OPT_STRING, seed,       0, 0,    "S",         "the seed of that run; default the scenario's"),
	COMMAND_ROW("proxy",    OPT_STRING, proxy,      0, 0,    "NAME",      "whose address OPENAI_BASE_URL is; default the first proxy"),
	COMMAND_ROW("record",   OPT_STRING, record,     0, 0,    "DIR",       "what upstreams answered in that run; default LOG.record, where kf-chaos --record keeps it"),
	COMMAND_ROW("upstream", OPT_LIST,   upstreams,  0, 0,    "NAME=ADDR", "the address of a bare upstream name; may be repeated"),
	COMMAND_ROW("deadline", OPT_INT,    deadline_s, 1, 3600, "S",         "seconds after which a run has failed; default 60"),
	COMMAND_ROW("out",      OPT_STRING, out,        0, 0,    "DIR",       "keeps log and output of every run there"),
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos shrink",
	.usage = "LOG -- COMMAND [ARGS]",
	.about = "Finds the smallest set of the faults in LOG that still "
	         "makes COMMAND fail, by running it with fewer and fewer of "
	         "them.  Exit 0 with that set; 1 when COMMAND does not fail "
	         "with all of them, or fails without any.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 2,
	.args_max = CLIENT_COMMAND_WORDS_MAX,
	.examples = "kf-chaos shrink chaos.jsonl --scenario storm.json -- "
	            "python3 agent.py\t"
	            "the fewest faults that still break it\n",
};

struct shot_key { /* owned texts */
	char *rule, *fault, *proxy, *key;
	uint64_t attempt;
};

struct tried { /* a set whose outcome is known */
	struct tried *next;
	bool *keep; /* owned */
	bool fails;
	bool is_untold; /* it failed for want of an answer */
};

struct shrink {
	const struct options *o;
	struct client_command *subject;
	struct scenario *scenario; /* owned */
	char *record;              /* owned: a folder; NULL: there is none */
	struct shot_key *faults;   /* owned */
	size_t n;
	size_t nstrange;     /* lines that the scenario cannot have made */
	const bool *keep;    /* of the run under way */
	struct tried *tried; /* owned list */
	size_t runs;
	struct why *why;
};

/* ---- the log */

/* Would that rule of the scenario have decided so, with that seed?  What is
 * after another one hangs on more than a line tells. */
static bool
is_of_scenario(const struct shrink *x, json_t *line)
{
	const char *id = jlenient_text(line, "rule");
	const char *fault = jlenient_text(line, "fault");
	struct fire_draw d = { x->o->seed ? x->o->seed : x->scenario->seed,
		x->scenario->hash, id, jlenient_text(line, "key"),
		(uint64_t)json_integer_value(
		    json_object_get(line, "attempt")) };

	for (size_t i = 0; i < x->scenario->nrules; i++) {
		const struct rule *r = &x->scenario->rules[i];

		for (size_t k = 0; k < r->nfaults; k++)
			if (strcmp(r->id, id) == 0 &&
			    strcmp(r->faults[k].type->name, fault) == 0)
				return r->when.rule ||
				    when_fires(&r->when, &d, NULL);
	}
	return false;
}

static void
take_line(json_t *line, void *arg)
{
	struct shrink *x = arg;

	if (strcmp(jlenient_text(line, "result"), "fired") != 0)
		return;
	x->nstrange += !is_of_scenario(x, line);
	if (x->n < FAULTS_MAX)
		x->faults[x->n] = (struct shot_key){
			xstrdup(jlenient_text(line, "rule")),
			xstrdup(jlenient_text(line, "fault")),
			xstrdup(jlenient_text(line, "proxy")),
			xstrdup(jlenient_text(line, "key")),
			(uint64_t)json_integer_value(
			    json_object_get(line, "attempt")),
		};
	x->n++;
}

static enum err
read_log(struct shrink *x, const char *path)
{
	enum err e;

	x->faults = xcalloc(FAULTS_MAX, sizeof *x->faults);
	e = journal_check(path, take_line, x, NULL, x->why);
	if (x->n > FAULTS_MAX) {
		x->n = FAULTS_MAX;
		e = why_set(x->why, ERR_TOOBIG, "%s: more than %d faults", path,
		    FAULTS_MAX);
	}
	if (e == ERR_OK && x->n == 0)
		e = why_set(x->why, ERR_RANGE, "%s: no fault fired", path);
	if (e == ERR_OK && x->nstrange)
		e = why_set(x->why, ERR_SYNTAX,
		    "%s: %zu faults that this scenario and seed do not "
		    "decide: they cannot be played again",
		    path, x->nstrange);
	return e;
}

/* ---- one run */

static bool
is_kept(const struct event *e, void *arg)
{
	const struct shrink *x = arg;

	for (size_t i = 0; i < x->n; i++) {
		const struct shot_key *k = &x->faults[i];

		if (k->attempt == e->attempt && strcmp(k->key, e->key) == 0 &&
		    strcmp(k->rule, e->rule) == 0 &&
		    strcmp(k->fault, e->fault) == 0 &&
		    strcmp(k->proxy, e->proxy) == 0)
			return x->keep[i];
	}
	return false;
}

static const struct tried *
recall(const struct shrink *x, const bool *keep)
{
	const struct tried *t = x->tried;

	while (t && memcmp(t->keep, keep, x->n * sizeof *keep) != 0)
		t = t->next;
	return t;
}

static void
remember(struct shrink *x, const bool *keep, bool fails, bool is_untold)
{
	struct tried *t = xcalloc(1, sizeof *t);

	t->keep = xmemdup(keep, x->n * sizeof *keep);
	t->fails = fails;
	t->is_untold = is_untold;
	t->next = x->tried;
	x->tried = t;
}

/*
 * Did COMMAND fail for its faults?  A failure for want of an answer that was
 * never recorded teaches nothing: it counts as none, and is remembered.
 */
static bool
judge(const struct shrink *x, const struct client_trial *t, size_t kept)
{
	const struct client_trial_result *r = client_trial_result(t);
	bool fails = client_trial_failed(r);

	printf("run-%03zu: %zu of %zu faults: ", x->runs - 1, kept, x->n);
	if (fails && r->missing)
		printf("cannot tell: %zu requests are not in the record\n",
		    r->missing);
	else
		printf("%s\n", fails ? "fails" : "passes");
	fflush(stdout);
	return fails && !r->missing;
}

/* Runs COMMAND with these faults, unless that was done before. */
static enum err
run_with(const bool *keep, size_t n, bool *ret_fails, void *arg)
{
	struct shrink *x = arg;
	struct client_trial *t = NULL;
	size_t kept = 0;
	enum err e;

	if (recall(x, keep)) {
		*ret_fails = recall(x, keep)->fails;
		return ERR_OK;
	}
	for (size_t i = 0; i < n; i++)
		kept += keep[i];
	x->keep = keep;
	e = client_command_run(x->subject, x->runs++,
	    &(struct client_trial_conf){ .scenario = x->scenario->doc,
	        .dir = x->scenario->dir,
	        .seed = x->o->seed,
	        .upstreams = &x->o->upstreams,
	        .proxy = x->o->proxy,
	        .record = x->record,
	        .asks = x->o->asks,
	        .deadline_ms = (uint32_t)x->o->deadline_s * 1000,
	        .allows = is_kept,
	        .allows_arg = x },
	    &t, x->why);
	if (e == ERR_OK) {
		*ret_fails = judge(x, t, kept);
		remember(x, keep, *ret_fails,
		    !*ret_fails && client_trial_failed(client_trial_result(t)));
	}
	client_trial_free(t);
	return e;
}

/* ---- the search */

static enum err
check_ends(struct shrink *x, bool *keep)
{
	bool all = false, none = false;
	enum err e = run_with(keep, x->n, &all, x);

	if (e == ERR_OK && !all)
		return why_set(x->why, ERR_STATE,
		    "COMMAND does not fail with all %zu faults", x->n);
	/* A program that fails without any fault would be shrunk to nothing,
	 * and the answer would be wrong. */
	memset(keep, false, x->n);
	if (e == ERR_OK)
		e = run_with(keep, x->n, &none, x);
	memset(keep, true, x->n);
	if (e == ERR_OK && none)
		return why_set(x->why, ERR_STATE,
		    "COMMAND fails without any fault");
	return e;
}

/* The attempt of the same call whose fault this one leads to; 0: none.  It
 * may do nothing but make the client ask again. */
static uint64_t
leads_to(const struct shrink *x, const bool *keep, size_t i)
{
	const struct shot_key *k = &x->faults[i], *o;

	for (size_t j = 0; j < x->n; j++) {
		o = &x->faults[j];
		if (keep[j] && o->attempt > k->attempt &&
		    strcmp(o->key, k->key) == 0 &&
		    strcmp(o->proxy, k->proxy) == 0)
			return o->attempt;
	}
	return 0;
}

/* Does it matter?  The search ends with a run without each one that it keeps:
 * where that run failed for want of an answer, nobody can tell. */
static bool
is_untold(const struct shrink *x, const bool *keep, size_t i)
{
	bool *without = xmemdup(keep, x->n * sizeof *keep);
	const struct tried *t;

	without[i] = false;
	t = recall(x, without);
	free(without);
	return t && t->is_untold;
}

static void
print_fault(const struct shrink *x, const bool *keep, size_t i)
{
	const struct shot_key *k = &x->faults[i];
	uint64_t next = leads_to(x, keep, i);

	printf("  rule %s: %s on %s, key %s, attempt %llu", k->rule, k->fault,
	    k->proxy, k->key, (unsigned long long)k->attempt);
	if (next)
		printf(" (incidental: without it there is no attempt %llu)",
		    (unsigned long long)next);
	if (is_untold(x, keep, i))
		printf(" (cannot tell whether it matters)");
	putchar('\n');
}

static void
print_kept(const struct shrink *x, const bool *keep)
{
	size_t kept = 0, untold = 0;

	for (size_t i = 0; i < x->n; i++) {
		kept += keep[i];
		untold += keep[i] && is_untold(x, keep, i);
	}
	printf("\n%zu of %zu faults are enough (%zu runs)", kept, x->n,
	    x->runs);
	if (untold)
		printf("; for %zu of them it cannot be told whether they "
		       "matter: without them COMMAND asks what is not in the "
		       "record%s",
		    untold, x->o->asks ? "" : " (--ask asks the upstream)");
	printf(":\n");
	for (size_t i = 0; i < x->n; i++)
		if (keep[i])
			print_fault(x, keep, i);
}

/* Where upstreams' answers come from; says so when they must be asked. */
static enum err
find_record(struct shrink *x, const char *log)
{
	size_t missing, asked;

	x->record =
	    x->o->record ? xstrdup(x->o->record) : recording_folder(log);
	if (x->o->record && !files_exists(x->record))
		return why_set(x->why, ERR_NOTFOUND, "--record: no folder %s",
		    x->record);
	asked = recording_play(x->scenario, x->record, x->o->asks, &missing);
	if (asked)
		printf("%zu of %zu proxies have no record: their upstreams are "
		       "asked\n",
		    asked, x->scenario->nproxies);
	return ERR_OK;
}

static enum err
shrink(struct shrink *x, const char *log)
{
	bool keep[FAULTS_MAX];
	enum err e = scenario_read(x->o->scenario, &x->scenario, x->why);

	if (e == ERR_OK)
		e = find_record(x, log);
	if (e == ERR_OK)
		e = read_log(x, log);
	if (e != ERR_OK)
		return e;
	memset(keep, true, sizeof keep);
	e = check_ends(x, keep);
	if (e == ERR_OK)
		e = ddmin(keep, x->n, run_with, x);
	if (e == ERR_OK)
		print_kept(x, keep);
	return e;
}

static void
shrink_done(struct shrink *x)
{
	for (size_t i = 0; x->faults && i < x->n; i++) {
		free(x->faults[i].rule);
		free(x->faults[i].fault);
		free(x->faults[i].proxy);
		free(x->faults[i].key);
	}
	free(x->faults);
	free(x->record);
	while (x->tried) {
		struct tried *t = x->tried;

		x->tried = t->next;
		free(t->keep);
		free(t);
	}
	scenario_free(x->scenario);
}

static int
run_shrink(int argc, char **argv)
{
	struct options o = { .deadline_s = 60 };
	const char *words[CLIENT_COMMAND_WORDS_MAX];
	struct client_command s = { NULL, NULL, false, 0 };
	size_t n = 0;
	struct why why = { "" };
	struct shrink x = { .o = &o, .subject = &s, .why = &why };
	enum err e = ERR_OK;
	int code;

	if (!command_parse(&cmd_shrink, argc, argv, &o, words, &n, &code))
		return code;
	if (!o.scenario)
		e = why_set(&why, ERR_SYNTAX,
		    "--scenario is missing: the log does not hold the rules");
	if (e == ERR_OK)
		e = client_command_open(&s, argc, argv, o.out, &why);
	if (e == ERR_OK) {
		e = shrink(&x, words[0]);
		client_command_close(&s);
	}
	shrink_done(&x);
	code = command_end(&cmd_shrink, e, &why);
	return s.interrupted_by ? CLIENT_TRIAL_INTERRUPTED + s.interrupted_by
	                        : code;
}

const struct command cmd_shrink = { "shrink", &command, run_shrink };
