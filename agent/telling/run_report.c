/*
 * Loading a run directory.
 *
 * A chain that does not hold yields an empty set of lines and a status that
 * says so: nothing is derived from a file that somebody changed.  What else is
 * not as the run left it goes on the list of problems.
 */
#include "agent/telling/run_report.h"

#include "agent/ledger/anchored_files.h"
#include "agent/ledger/fingerprint.h"
#include "agent/ledger/rundir.h"
#include "agent/run/record_hash.h"
#include "agent/run/run_file.h"
#include "agent/run/secret_seed.h"
#include "agent/telling/corrupted_kernels.h"
#include "agent/telling/final_answer.h"
#include "agent/text/claim_filter.h"
#include "base/chained_journal.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/seal.h"
#include "lab/stages/seed_commitment.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_REPORT_LINES_BYTES ((size_t)64 * 1024 * 1024)

static void
on_line(json_t *line, void *arg)
{
	json_array_append(arg, line);
}

const char *
run_report_within(const char *dir, const char *reason)
{
	char *folder = files_join(dir, "");
	size_t n = strlen(folder);
	bool is_within = strncmp(reason, folder, n) == 0;

	free(folder);
	return is_within ? reason + n : reason;
}

static void
set_status(const char *dir, struct run_report_chain *c, const char *text)
{
	char fit[RUN_REPORT_LINE_CHARS], *clean;

	why_fit(run_report_within(dir, text), fit, sizeof fit);
	clean = claim_clean(fit, sizeof fit);
	(void)snprintf(c->status, sizeof c->status, "%s", clean);
	free(clean);
}

static json_t *
read_chain(const char *dir, const char *name, struct run_report_chain *chain,
    char hash[DIGEST_HEX])
{
	char *path = files_join(dir, name);
	json_t *lines = json_array();
	struct journal_facts facts = { 0 };
	struct why why = { "" };
	char sound[64];

	chain->present = files_exists(path);
	chain->sound = chain->present &&
	    journal_check(path, on_line, lines, &facts, &why) == ERR_OK;
	if (!chain->sound)
		json_array_clear(lines);
	if (hash)
		(void)snprintf(hash, DIGEST_HEX, "%s",
		    chain->sound ? facts.set_hash : "");
	chain->lines = json_array_size(lines);
	chain->closed = chain->sound && facts.closed;
	chain->is_torn = !chain->sound && facts.is_torn;
	(void)snprintf(sound, sizeof sound, "%zu lines, chain holds%s",
	    chain->lines, chain->closed ? "" : ", not closed");
	if (!chain->present)
		set_status(dir, chain, "not there");
	else
		set_status(dir, chain, chain->sound ? sound : why.text);
	free(path);
	return lines;
}

static void
read_ledger(struct run_report *r)
{
	char *path = files_join(r->dir, "ledger.jsonl");
	struct why why = { "" };
	json_t *lines =
	    read_chain(r->dir, "ledger.jsonl", &r->ledger_chain, NULL);

	if (r->ledger_chain.sound &&
	    ledger_read(path, &r->ledger, &why) != ERR_OK) {
		r->ledger_chain.sound = false;
		set_status(r->dir, &r->ledger_chain, why.text);
	}
	if (!r->ledger)
		r->ledger = ledger_new();
	json_decref(lines);
	free(path);
}

static void
read_record(struct run_report *r, const char *op, const char *try)
{
	json_t *record = rundir_read_record(r->dir, op, try);
	char *key = xasprintf("%s/%s", op, try);

	if (record)
		json_object_set_new(r->records, key, record);
	free(key);
}

/* For the timeline alone. */
static json_t *
read_lines(const char *dir, const char *name)
{
	char *path = files_join(dir, name);
	json_t *lines = jlenient_lines(path, RUN_REPORT_LINES_BYTES, NULL);

	free(path);
	return lines;
}

/* kernels/OP/TRY.json of every try that the ledger knows, and the naive
 * baseline's. */
static void
read_records(struct run_report *r)
{
	size_t n;
	json_t *line;

	r->records = json_object();
	json_array_foreach(r->naive, n, line) {
		const char *op = json_string_value(json_object_get(line, "op"));

		if (op && strlen(op) <= LEDGER_OP_MAX)
			read_record(r, op, "naive");
	}
	for (size_t i = 0; i < ledger_count(r->ledger); i++) {
		const struct ledger_entry *e = ledger_at(r->ledger, i);
		char try[16];

		if (e->state != LEDGER_ATTEMPTED)
			continue;
		(void)snprintf(try, sizeof try, "%u", e->iteration);
		read_record(r, e->op, try);
	}
}

static json_t *
audits_of(const struct run_report *r)
{
	json_t *audits = json_object();

	for (size_t i = 0; i < ledger_count(r->ledger); i++) {
		const struct ledger_entry *e = ledger_at(r->ledger, i);
		char *key = xasprintf("%s/%u", e->op, e->iteration);
		json_t *audit =
		    json_object_get(json_object_get(json_object_get(r->records,
		                                        key),
		                        "audit"),
		        "verdict");

		if (audit && ledger_is_verified(e->state))
			json_object_set(audits, e->op, audit);
		free(key);
	}
	return audits;
}

static void
derive(struct run_report *r)
{
	size_t asked = json_array_size(json_object_get(r->run, "ops"));
	json_t *audits = audits_of(r);
	struct scorecard_input in = {
		.standings = &r->standings,
		.ops = json_object_get(r->run, "ops"),
		.naive = r->naive,
		.audits = audits,
		.asked = run_file_asked(r->run),
	};

	standings_name_models(&r->standings, &in.asked);
	scorecard_make(&in, &r->scorecard);
	scorecard_set_players(&r->scorecard,
	    json_string_value(json_object_get(r->run, "answers")));
	json_decref(audits);
	fingerprint_make(r->ledger, r->naive, r->chaos,
	    json_object_get(r->run, "ops"), r->fingerprint);
	/* Of a ledger that cannot be read nobody knows what was begun. */
	r->answer = r->ledger_chain.sound
	    ? final_answer_render(r->ledger, asked, &in.asked)
	    : xasprintf("0 of %zu operators verified: the ledger does not "
	                "hold.\n",
	          asked);
}

static void __attribute__((format(printf, 2, 3)))
add_problem(struct run_report *r, const char *fmt, ...)
{
	va_list ap;
	json_t *text;

	va_start(ap, fmt);
	text = json_vsprintf(fmt, ap);
	va_end(ap);
	json_array_append_new(r->problems,
	    text ? text : json_string("a file with a name that is no text"));
}

static bool
has_ended(const struct run_report *r)
{
	return json_is_integer(json_object_get(r->run, "exit"));
}

/* Was it there when the run ended, and is gone? */
static bool
is_gone(const struct run_report *r, const char *name,
    const struct run_report_chain *c)
{
	json_t *journals =
	    json_object_get(json_object_get(r->run, "anchors"), "journals");

	return !c->present && json_object_get(journals, name);
}

/* Why the baseline cannot be counted, although it ran; NULL: it can. */
static const char *
naive_absent(const struct run_report *r)
{
	if (r->naive_chain.present)
		return r->naive_chain.sound ? NULL : "broken";
	return is_gone(r, "naive.jsonl", &r->naive_chain) ? "gone" : NULL;
}

static void
check_chain(struct run_report *r, const char *name,
    const struct run_report_chain *c, bool must)
{
	/* A writer that was killed has closed nothing, and may have been within
	 * a line. */
	bool may_be_open = r->mode == RUN_REPORT_LOOK && !has_ended(r);

	if (!c->present && must)
		add_problem(r, "%s: gone", name);
	else if (c->present && !c->sound && !(c->is_torn && may_be_open))
		add_problem(r, "%s", c->status);
	else if (c->sound && !c->closed && !may_be_open)
		add_problem(r,
		    "%s: not closed: its end was cut off, or its writer was "
		    "killed",
		    name);
}

static void
add_forged(struct run_report *r, char *name)
{
	if (name)
		add_problem(r, "%s: not the answer that the ledger recorded",
		    name);
	free(name);
}

/* Every record is the one that its lines bound. */
static void
check_bound(struct run_report *r)
{
	json_t *line;
	size_t n;

	for (size_t i = 0; i < ledger_count(r->ledger); i++) {
		const struct ledger_entry *e = ledger_at(r->ledger, i);
		char *key;

		if (e->state != LEDGER_ATTEMPTED)
			continue;
		key = xasprintf("%s/%u", e->op, e->iteration);
		add_forged(r,
		    record_forged(r->dir, r->ledger, e->op, e->iteration,
		        json_object_get(r->records, key)));
		free(key);
	}
	json_array_foreach(r->naive, n, line) {
		const char *op = json_string_value(json_object_get(line, "op"));
		char *key = xasprintf("%s/naive", op ? op : "");

		add_forged(r,
		    record_naive_forged(r->dir, line,
		        json_object_get(r->records, key)));
		free(key);
	}
}

/* The record was masked as it was written, the proxy's log was not. */
static bool
is_noted(json_t *noted, json_t *told)
{
	char *a = json_dumps(noted, JSON_COMPACT | JSON_SORT_KEYS);
	char *b = json_dumps(told, JSON_COMPACT | JSON_SORT_KEYS);
	bool is = a && b && mask_fits(a, b);

	free(a);
	free(b);
	return is;
}

/* What chaos did to a kernel is its log's to say; before both have ended, less
 * may have been noted. */
static void
check_corrupted(struct run_report *r, bool is_late)
{
	json_t *all = corrupted_kernels_of_log(r->chaos), *record;
	const char *name;

	json_object_foreach(r->records, name, record) {
		json_t *noted = json_object_get(record, "corrupted");
		json_t *told = json_object_get(all, name);

		if (json_is_null(noted))
			noted = NULL;
		if ((noted || (told && is_late)) && !is_noted(noted, told))
			add_problem(r,
			    "kernels/%s.json: not what chaos.jsonl says was "
			    "done to the kernel",
			    name);
	}
	json_decref(all);
}

/* Every commitment is the one that the run's seed gives. */
static void
check_commits(struct run_report *r)
{
	const char *seed = json_string_value(json_object_get(r->run, "seed"));

	for (size_t i = 0; i < ledger_count(r->ledger); i++) {
		const struct ledger_entry *e = ledger_at(r->ledger, i);
		struct secret_seed seeds;
		char commit[SEED_COMMIT_HEX];
		const char *was = ledger_commit(r->ledger, e->op, e->iteration);

		if (e->state != LEDGER_ATTEMPTED || !was)
			continue;
		secret_seed_draw(seed ? seed : "", "kernelforge", e->op,
		    e->iteration, &seeds);
		lab_seed_commit(seeds.seed, seeds.nonce, commit);
		if (strcmp(commit, was) == 0)
			continue;
		add_problem(r,
		    "run.json: not the seed that the ledger committed to");
		return;
	}
}

static void
check_verdicts(struct run_report *r)
{
	for (size_t i = 0; i < ledger_count(r->ledger); i++) {
		const struct ledger_entry *e = ledger_at(r->ledger, i);

		if (e->state == LEDGER_VERIFIED_CORRECT &&
		    !ledger_commit(r->ledger, e->op, e->iteration))
			add_problem(r,
			    "ledger.jsonl: a claim on %s without a committed "
			    "seed",
			    e->op);
	}
}

/* Only ends are strict: a run that goes on, or was killed, has none yet. */
static void
check_all(struct run_report *r)
{
	json_t *anchors = json_object_get(r->run, "anchors");
	const char *was =
	    json_string_value(json_object_get(r->run, "fingerprint"));
	bool ended = has_ended(r), are_whole;
	bool is_remains = r->mode == RUN_REPORT_REMAINS;
	size_t before;

	if (!ended && r->mode == RUN_REPORT_CHECK)
		add_problem(r,
		    "the run did not end: kernelforge run --resume --out DIR "
		    "goes on with it");
	else if (ended && !seal_holds(r->run))
		add_problem(r, "run.json: changed since the run ended");
	before = json_array_size(r->problems);
	check_chain(r, "ledger.jsonl", &r->ledger_chain, true);
	check_chain(r, "naive.jsonl", &r->naive_chain, true);
	check_chain(r, "chaos.jsonl", &r->chaos_chain, false);
	/* Of half a ledger, or without the proxy's log, no fingerprint follows:
	 * run.json is not to blame for it. */
	are_whole = json_array_size(r->problems) == before &&
	    !is_gone(r, "chaos.jsonl", &r->chaos_chain);
	if (ended && !json_is_object(anchors))
		add_problem(r, "run.json: found no anchors");
	else if (ended)
		anchor_check(r->dir, anchors, r->problems);
	if (ended && are_whole &&
	    (json_is_true(json_object_get(anchors, "late")) ||
	        !r->chaos_chain.present) &&
	    (!was || strcmp(was, r->fingerprint) != 0))
		add_problem(r, "run.json: not the fingerprint of this run");
	check_bound(r);
	if (r->chaos_chain.sound ||
	    (!r->chaos_chain.present &&
	        !is_gone(r, "chaos.jsonl", &r->chaos_chain)))
		check_corrupted(r,
		    json_is_true(json_object_get(anchors, "late")));
	check_verdicts(r);
	if (!is_remains)
		check_commits(r);
}

static void
add_op(json_t *ops, const char *op)
{
	json_t *known;
	size_t i;

	json_array_foreach(ops, i, known)
		if (strcmp(json_string_value(known), op) == 0)
			return;
	if (*op)
		json_array_append_new(ops, json_string(op));
}

/* In the order in which they were begun. */
static void
name_ops(struct run_report *r)
{
	json_t *ops = json_array(), *line;
	size_t i;

	json_array_foreach(r->naive, i, line)
		add_op(ops, jlenient_text(line, "op"));
	for (i = 0; i < ledger_count(r->ledger); i++)
		add_op(ops, ledger_at(r->ledger, i)->op);
	json_object_set_new(r->run, "ops", ops);
}

static enum err
read_run(const char *dir, json_t **ret, struct why *why)
{
	json_t *run = NULL;
	enum err e = rundir_read_json(dir, "run.json", &run, why);

	if (e == ERR_OK && !json_is_object(run)) {
		json_decref(run);
		e = why_set(why, ERR_SYNTAX, "%s/run.json: expected an object",
		    dir);
	}
	*ret = e == ERR_OK ? run : NULL;
	return e;
}

enum err
run_report_load(const char *dir, enum run_report_mode mode,
    struct run_report **ret, struct why *why)
{
	struct run_report *r;
	json_t *run = NULL;
	enum err e = rundir_check_kinds(dir, why);
	bool is_remains = mode == RUN_REPORT_REMAINS;

	if (e != ERR_OK)
		return e;
	e = read_run(dir, &run, why);
	if (e != ERR_OK && !is_remains)
		return e;
	r = xcalloc(1, sizeof *r);
	r->mode = mode;
	r->dir = xstrdup(dir);
	r->run = run ? run : json_object();
	r->problems = json_array();
	if (e != ERR_OK)
		add_problem(r, "%s", run_report_within(dir, why->text));
	read_ledger(r);
	r->naive = read_chain(dir, "naive.jsonl", &r->naive_chain, NULL);
	r->chaos =
	    read_chain(dir, "chaos.jsonl", &r->chaos_chain, r->chaos_run_hash);
	read_records(r);
	r->trace = read_lines(dir, "trace.jsonl");
	r->gateway = read_lines(dir, "gateway.jsonl");
	standings_read(r->ledger, &r->standings);
	if (is_remains)
		name_ops(r);
	derive(r);
	r->foreign = json_array();
	/* A run that ends has no anchors to be compared with yet: it makes
	 * them. */
	if (mode != RUN_REPORT_ENDING)
		check_all(r);
	r->scorecard.is_unsound = json_array_size(r->problems) > 0;
	r->scorecard.naive.absent = naive_absent(r);
	*ret = r;
	return ERR_OK;
}

void
run_report_free(struct run_report *r)
{
	if (!r)
		return;
	scorecard_done(&r->scorecard);
	standings_done(&r->standings);
	ledger_free(r->ledger);
	json_decref(r->run);
	json_decref(r->naive);
	json_decref(r->chaos);
	json_decref(r->records);
	json_decref(r->trace);
	json_decref(r->gateway);
	json_decref(r->problems);
	json_decref(r->foreign);
	free(r->answer);
	free(r->dir);
	free(r);
}
