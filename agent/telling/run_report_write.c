/*
 * Writing what follows from a run directory, a row a file, so that a check can
 * make each file again and compare.
 */
#include "agent/telling/run_report.h"

#include "agent/ledger/anchored_files.h"
#include "agent/ledger/rundir.h"
#include "agent/run/run_file.h"
#include "agent/telling/corrupted_kernels.h"
#include "agent/telling/other_labs.h"
#include "agent/telling/page.h"
#include "agent/text/claim_filter.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_LINE_CHARS 240

typedef void render_fn(const struct run_report *r, struct buf *b);

static render_fn render_card, render_markdown, render_summary, render_page;

static const struct {
	const char *name;
	render_fn *render;
} report_files[] = {
	{ "scorecard.json", render_card },
	{ "scorecard.md", render_markdown },
	{ "summary.txt", render_summary },
	{ "report.html", render_page },
};

#define NFILES COUNT(report_files)

static void
render_card(const struct run_report *r, struct buf *b)
{
	json_t *card = scorecard_json(&r->scorecard);
	char *text = json_dumps(card,
	    JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));

	buf_addf(b, "%s\n", text ? text : "null");
	free(text);
	json_decref(card);
}

static void
render_markdown(const struct run_report *r, struct buf *b)
{
	struct term_table four, detail;
	char speed[SPEED_TEXT_BYTES];

	scorecard_table(&r->scorecard, &four);
	scorecard_detail(&r->scorecard, &detail);
	buf_adds(b, "# Scorecard\n\n");
	term_table_markdown(&four, b);
	buf_adds(b, "\n## By operator\n\n");
	term_table_markdown(&detail, b);
	if (speed_text(&r->scorecard.speed, speed, sizeof speed))
		buf_addf(b, "\n%s.\n", speed);
	other_labs_put(r->scorecard.other_labs, "\nBeside our own lab ", ".\n",
	    b);
	buf_addf(b, "\nFingerprint `%s`.\n", r->fingerprint);
	term_table_done(&four);
	term_table_done(&detail);
}

/* What does not hold comes before anything that is said. */
static void
render_summary(const struct run_report *r, struct buf *b)
{
	size_t i;
	json_t *problem;

	if (json_array_size(r->problems) > 0)
		buf_adds(b, "THIS RUN DIRECTORY DOES NOT HOLD:\n");
	json_array_foreach(r->problems, i, problem) {
		char *clean =
		    claim_clean(json_string_value(problem), REPORT_LINE_CHARS);

		buf_addf(b, "    %s\n", clean);
		free(clean);
	}
	buf_adds(b, r->answer);
}

static void
render_page(const struct run_report *r, struct buf *b)
{
	page_render(r, b);
}

static json_t *
counts_json(const struct run_report *r)
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

/* What the chaos log knows of a kernel stands beside what the model said. */
static enum err
note_corruption(const struct run_report *r, const char *name, json_t *what,
    struct why *why)
{
	char *file = xasprintf("kernels/%s.json", name);
	json_t *record = NULL;
	enum err e = ERR_OK;

	/* What was asked for and never came has no record. */
	if (json_object_get(r->records, name) &&
	    rundir_read_json(r->dir, file, &record, NULL) == ERR_OK) {
		json_object_set(record, "corrupted", what);
		e = rundir_write_json(r->dir, file, record, why);
	}
	json_decref(record);
	free(file);
	return e;
}

static enum err
note_corruptions(const struct run_report *r, struct why *why)
{
	json_t *all = corrupted_kernels_of_log(r->chaos), *what;
	enum err e = ERR_OK;
	const char *name;

	json_object_foreach(all, name, what)
		if (e == ERR_OK)
			e = note_corruption(r, name, what, why);
	json_decref(all);
	return e;
}

/* Logs that are closed now are anchored with the rest, once. */
static enum err
complete_run(struct run_report *r, struct why *why)
{
	bool late = r->chaos_chain.closed;

	json_object_set_new(r->run, "fingerprint", json_string(r->fingerprint));
	json_object_set_new(r->run, "chaos_run_hash",
	    json_string(r->chaos_run_hash));
	json_object_set_new(r->run, "counts", counts_json(r));
	if (json_array_size(r->scorecard.other_labs) > 0)
		json_object_set(r->run, "other_labs", r->scorecard.other_labs);
	json_object_set_new(r->run, "anchors", anchor_make(r->dir, late));
	return run_file_write(r->dir, r->run, why);
}

/* A run that ends has the anchors of an earlier end at most. */
static bool
is_complete(const struct run_report *r)
{
	json_t *anchors = json_object_get(r->run, "anchors");

	return r->mode == RUN_REPORT_CHECK && anchors &&
	    (!r->chaos_chain.present ||
	        json_is_true(json_object_get(anchors, "late")));
}

enum err
run_report_write(struct run_report *r, struct why *why)
{
	enum err e = ERR_OK;

	/* Never over files that do not hold: sealing them would make them
	 * hold. */
	if (json_array_size(r->problems) == 0 && !is_complete(r)) {
		e = note_corruptions(r, why);
		if (e == ERR_OK)
			e = complete_run(r, why);
	}
	for (size_t i = 0; e == ERR_OK && i < NFILES; i++) {
		char *path = files_join(r->dir, report_files[i].name);
		struct buf b;

		buf_init(&b, PAGE_BYTES);
		report_files[i].render(r, &b);
		e = files_write(path, b.data ? b.data : "", b.len, why);
		buf_done(&b);
		free(path);
	}
	return e;
}

const char *
run_report_other_version(const struct run_report *r)
{
	const char *version = json_string_value(
	    json_object_get(json_object_get(r->run, "versions"),
	        "kernelforge"));

	return version && strcmp(version, opts_version()) != 0 ? version : NULL;
}

/* Is the i-th of the derived files what would be written now? */
static bool
is_as_derived(const struct run_report *r, size_t i)
{
	char *path = files_join(r->dir, report_files[i].name), *text = NULL;
	size_t len;
	struct buf b;
	bool is;

	buf_init(&b, PAGE_BYTES);
	report_files[i].render(r, &b);
	is = files_read(path, PAGE_BYTES, &text, &len, NULL) == ERR_OK &&
	    len == b.len && memcmp(text, b.data, len) == 0;
	free(text);
	buf_done(&b);
	free(path);
	return is;
}

static bool
is_there(const struct run_report *r, const char *name)
{
	char *path = files_join(r->dir, name);
	bool is = files_exists(path);

	free(path);
	return is;
}

void
run_report_check_files(const struct run_report *r, json_t *problems)
{
	/* Apart until all are drawn: a page begins with the run's problems. */
	json_t *found = json_array();

	/* A run beside a proxy has its page made once more, after both; and
	 * another version words and draws its own way. */
	for (size_t i = 0; i < NFILES && is_complete(r) &&
	     json_array_size(r->problems) == 0 && !run_report_other_version(r);
	     i++)
		if (is_there(r, report_files[i].name) && !is_as_derived(r, i))
			json_array_append_new(found,
			    json_sprintf("%s: not what follows from the run",
			        report_files[i].name));
	json_array_extend(problems, found);
	json_decref(found);
}

void
run_report_check_all_files(struct run_report *r)
{
	json_t *found = json_array();

	run_report_check_files(r, found);
	for (size_t i = 0;
	     i < NFILES && is_complete(r) && json_array_size(r->problems) == 0;
	     i++)
		if (!is_there(r, report_files[i].name))
			json_array_append_new(found,
			    json_sprintf("%s: gone", report_files[i].name));
	json_array_extend(r->problems, found);
	json_decref(found);
}

static bool
all_are_verified(const struct run_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->standings.n; i++)
		n += ledger_is_verified(r->standings.items[i].state);
	return n == json_array_size(json_object_get(r->run, "ops"));
}

int
run_report_exit(const struct run_report *r, json_t *checks)
{
	size_t i;
	json_t *check;

	if (scorecard_unknown(&r->scorecard) > 0) {
		log_error("report",
		    "the truth of %ld claims is not known: the lab could not "
		    "judge them",
		    scorecard_unknown(&r->scorecard));
		return EXIT_ENV;
	}
	if (json_array_size(checks) == 0)
		return all_are_verified(r) ? EXIT_DONE : EXIT_JUDGED;
	json_array_foreach(checks, i, check)
		if (!json_is_true(json_object_get(check, "held")))
			return EXIT_JUDGED;
	return EXIT_DONE;
}

void
run_report_say_problems(const struct run_report *r)
{
	size_t i;
	json_t *problem;

	json_array_foreach(r->problems, i, problem) {
		char *clean =
		    claim_clean(json_string_value(problem), REPORT_LINE_CHARS);

		log_error("check", "%s", clean);
		free(clean);
	}
}

void
run_report_print(const struct run_report *r)
{
	struct term_table t;
	struct buf b;
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
	buf_init(&b, PAGE_BYTES);
	render_summary(r, &b);
	putchar('\n');
	term_print_wrapped(b.data, stdout);
	buf_done(&b);
	(void)fflush(stdout);
}

enum err
run_report_load_sound(const char *dir, const char *use, struct run_report **ret,
    struct why *why)
{
	struct run_report *r = NULL;
	enum err e = run_report_load(dir, RUN_REPORT_CHECK, &r, why);

	if (e != ERR_OK)
		return e;
	run_report_check_all_files(r);
	if (json_array_size(r->problems) > 0) {
		run_report_say_problems(r);
		run_report_free(r);
		return why_set(why, ERR_STATE,
		    "%s: does not hold, so nothing is %s", dir, use);
	}
	*ret = r;
	return ERR_OK;
}
