/*
 * Loading a run directory and writing what follows from it.
 *
 * A chain that does not hold yields an empty set of lines and a status that
 * says so: nothing is derived from a file that somebody changed.
 */
#include "agent/report.h"

#include "agent/answer.h"
#include "agent/claim.h"
#include "agent/fingerprint.h"
#include "agent/page.h"
#include "agent/rundir.h"
#include "base/files.h"
#include "base/journal.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_BYTES       ((size_t)4 * 1024 * 1024)
#define REPORT_LINES_BYTES ((size_t)64 * 1024 * 1024)

static void
on_line(json_t *line, void *arg)
{
	json_array_append(arg, line);
}

static void
set_status(struct report_chain *c, const char *text)
{
	char *clean = claim_clean(text, REPORT_STATUS_MAX / 4 - 4);

	(void)snprintf(c->status, sizeof c->status, "%s", clean);
	free(clean);
}

static json_t *
read_chain(const char *dir, const char *name, struct report_chain *chain,
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
	(void)snprintf(sound, sizeof sound, "%zu lines, chain holds",
	    chain->lines);
	if (!chain->present)
		set_status(chain, "not there");
	else
		set_status(chain, chain->sound ? sound : why.text);
	free(path);
	return lines;
}

static void
read_ledger(struct report *r)
{
	char *path = files_join(r->dir, "ledger.jsonl");
	struct why why = { "" };
	json_t *lines =
	    read_chain(r->dir, "ledger.jsonl", &r->ledger_chain, NULL);

	if (r->ledger_chain.sound &&
	    ledger_read(path, &r->ledger, &why) != ERR_OK) {
		r->ledger_chain.sound = false;
		set_status(&r->ledger_chain, why.text);
	}
	if (!r->ledger)
		r->ledger = ledger_new();
	json_decref(lines);
	free(path);
}

static void
read_record(struct report *r, const char *op, const char *try)
{
	json_t *record = rundir_read_record(r->dir, op, try);
	char *key = xasprintf("%s/%s", op, try);

	if (record)
		json_object_set_new(r->records, key, record);
	free(key);
}

/* Lines for the timeline alone: what does not parse is passed over. */
static json_t *
read_lines(const char *dir, const char *name)
{
	char *path = files_join(dir, name), *text = NULL, *save = NULL;
	json_t *lines = json_array();

	(void)files_read(path, REPORT_LINES_BYTES, &text, NULL, NULL);
	for (char *p = text ? strtok_r(text, "\n", &save) : NULL; p;
	     p = strtok_r(NULL, "\n", &save)) {
		json_t *line = json_loads(p, JSON_REJECT_DUPLICATES, NULL);

		if (json_is_object(line))
			json_array_append(lines, line);
		json_decref(line);
	}
	free(text);
	free(path);
	return lines;
}

/* kernels/OP/TRY.json of every try that the ledger knows, and the naive
 * baseline's. */
static void
read_records(struct report *r)
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
audits_of(const struct report *r)
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
derive(struct report *r)
{
	json_t *audits = audits_of(r);
	struct scorecard_input in = {
		.standings = &r->standings,
		.ops = json_object_get(r->run, "ops"),
		.naive = r->naive,
		.audits = audits,
	};

	scorecard_make(&in, &r->scorecard);
	json_decref(audits);
	fingerprint_make(r->ledger, r->naive, r->chaos, r->fingerprint);
	r->answer = answer_render(r->ledger);
}

enum err
report_load(const char *dir, struct report **ret, struct why *why)
{
	struct report *r;
	json_t *run = NULL;
	enum err e = rundir_read_json(dir, "run.json", &run, why);

	if (e != ERR_OK)
		return e;
	if (!json_is_object(run)) {
		json_decref(run);
		return why_set(why, ERR_SYNTAX,
		    "%s/run.json: expected an object", dir);
	}
	r = xcalloc(1, sizeof *r);
	r->dir = xstrdup(dir);
	r->run = run;
	read_ledger(r);
	r->naive = read_chain(dir, "naive.jsonl", &r->naive_chain, NULL);
	r->chaos =
	    read_chain(dir, "chaos.jsonl", &r->chaos_chain, r->chaos_run_hash);
	read_records(r);
	r->trace = read_lines(dir, "trace.jsonl");
	r->gateway = read_lines(dir, "gateway.jsonl");
	standings_read(r->ledger, &r->standings);
	derive(r);
	*ret = r;
	return ERR_OK;
}

void
report_free(struct report *r)
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
	free(r->answer);
	free(r->dir);
	free(r);
}

static enum err
write_text(const struct report *r, const char *name, const char *text, size_t n,
    struct why *why)
{
	char *path = files_join(r->dir, name);
	enum err e = files_write(path, text, n, why);

	free(path);
	return e;
}

static enum err
write_markdown(const struct report *r, struct why *why)
{
	struct term_table four, detail;
	char speed[SPEED_TEXT_BYTES];
	struct buf b;
	enum err e;

	buf_init(&b, REPORT_BYTES);
	scorecard_table(&r->scorecard, &four);
	scorecard_detail(&r->scorecard, &detail);
	buf_adds(&b, "# Scorecard\n\n");
	term_table_markdown(&four, &b);
	buf_adds(&b, "\n## By operator\n\n");
	term_table_markdown(&detail, &b);
	if (speed_text(&r->scorecard.speed, speed, sizeof speed))
		buf_addf(&b, "\n%s.\n", speed);
	buf_addf(&b, "\nFingerprint `%s`.\n", r->fingerprint);
	e = write_text(r, "scorecard.md", b.data, b.len, why);
	buf_done(&b);
	term_table_done(&four);
	term_table_done(&detail);
	return e;
}

static enum err
write_page(const struct report *r, struct why *why)
{
	struct buf b;
	enum err e;

	buf_init(&b, PAGE_BYTES);
	page_render(r, &b);
	e = write_text(r, "report.html", b.data, b.len, why);
	buf_done(&b);
	return e;
}

static json_t *
counts_json(const struct report *r)
{
	size_t verified = 0, tries = 0;

	for (size_t i = 0; i < r->standings.n; i++) {
		verified += ledger_is_verified(r->standings.items[i].state);
		tries += r->standings.items[i].iterations;
	}
	return json_pack("{s:I, s:I, s:I, s:I}", "operators",
	    (json_int_t)json_array_size(json_object_get(r->run, "ops")),
	    "verified", (json_int_t)verified, "iterations", (json_int_t)tries,
	    "faults", (json_int_t)json_array_size(r->chaos));
}

/* "ROLE/OP/ITERATION" of a fault is kernels/OP/ITERATION, or naive. */
static bool
split_key(const char *key, char op[LEDGER_OP_MAX + 1], char try[16])
{
	const char *slash = strchr(key, '/');
	const char *last = strrchr(key, '/');
	bool is_naive = strncmp(key, "naive/", strlen("naive/")) == 0;

	if (!slash || last == slash || last - slash - 1 > LEDGER_OP_MAX ||
	    strlen(last + 1) > 15)
		return false;
	(void)snprintf(op, LEDGER_OP_MAX + 1, "%.*s", (int)(last - slash - 1),
	    slash + 1);
	(void)snprintf(try, 16, "%s", is_naive ? "naive" : last + 1);
	return true;
}

/* What the chaos log knows of a kernel stands beside what the model said. */
static enum err
note_corruption(const struct report *r, json_t *line, struct why *why)
{
	static const char *const keys[] = { "rule", "operator", "site", "line",
		"before", "after" };
	const char *key = json_string_value(json_object_get(line, "key"));
	char op[LEDGER_OP_MAX + 1], try[16], *name;
	json_t *record, *what;
	enum err e;

	if (!json_object_get(line, "after") || !key || !split_key(key, op, try))
		return ERR_OK;
	record = rundir_read_record(r->dir, op, try);
	if (!record)
		return ERR_OK;
	what = json_object();
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(what, keys[i], json_object_get(line, keys[i]));
	json_object_set_new(record, "corrupted", what);
	name = xasprintf("kernels/%s/%s.json", op, try);
	e = rundir_write_json(r->dir, name, record, why);
	free(name);
	json_decref(record);
	return e;
}

static enum err
note_corruptions(const struct report *r, struct why *why)
{
	enum err e = ERR_OK;
	size_t i;
	json_t *line;

	json_array_foreach(r->chaos, i, line)
		if (e == ERR_OK)
			e = note_corruption(r, line, why);
	return e;
}

enum err
report_write(struct report *r, struct why *why)
{
	json_t *card = scorecard_json(&r->scorecard);
	enum err e;

	json_object_set_new(r->run, "fingerprint", json_string(r->fingerprint));
	json_object_set_new(r->run, "chaos_run_hash",
	    json_string(r->chaos_run_hash));
	json_object_set_new(r->run, "counts", counts_json(r));
	e = rundir_write_json(r->dir, "run.json", r->run, why);
	if (e == ERR_OK)
		e = rundir_write_json(r->dir, "scorecard.json", card, why);
	json_decref(card);
	if (e == ERR_OK)
		e = write_markdown(r, why);
	if (e == ERR_OK)
		e = write_text(r, "summary.txt", r->answer, strlen(r->answer),
		    why);
	if (e == ERR_OK)
		e = note_corruptions(r, why);
	return e == ERR_OK ? write_page(r, why) : e;
}

void
report_print(const struct report *r)
{
	struct term_table t;
	char speed[SPEED_TEXT_BYTES];

	putchar('\n');
	scorecard_table(&r->scorecard, &t);
	term_table_print(&t, stdout);
	term_table_done(&t);
	putchar('\n');
	scorecard_detail(&r->scorecard, &t);
	term_table_print(&t, stdout);
	term_table_done(&t);
	if (speed_text(&r->scorecard.speed, speed, sizeof speed))
		printf("\n%s\n", speed);
	printf("\n%s", r->answer);
	if (!r->ledger_chain.sound)
		printf("ledger: %s\n", r->ledger_chain.status);
	(void)fflush(stdout);
}
