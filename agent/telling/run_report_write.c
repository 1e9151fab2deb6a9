/*
 * Writing what follows from a run directory, a row a file, so that a check can
 * make each file again and compare.
 */
#include "agent/telling/run_report.h"

#include "agent/ledger/anchored_files.h"
#include "agent/ledger/rundir.h"
#include "agent/run/run_file.h"
#include "agent/telling/build_id.h"
#include "agent/telling/corrupted_kernels.h"
#include "agent/telling/other_labs.h"
#include "agent/telling/page.h"
#include "agent/text/claim_filter.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
put_problems(const struct run_report *r, struct buf *b)
{
	size_t i;
	json_t *problem;

	if (json_array_size(r->problems) > 0)
		buf_adds(b, "THIS RUN DIRECTORY DOES NOT HOLD:\n");
	json_array_foreach(r->problems, i, problem) {
		char *clean = claim_clean(json_string_value(problem),
		    RUN_REPORT_LINE_CHARS);

		buf_addf(b, "    %s\n", clean);
		free(clean);
	}
}

static void
put_answer(const struct run_report *r, struct buf *b)
{
	buf_adds(b, r->answer);
	if (json_array_size(r->problems) > 0 && r->ledger_chain.sound)
		buf_adds(b,
		    "So says the ledger, of a run directory that does not "
		    "hold.\n");
}

static void
render_summary(const struct run_report *r, struct buf *b)
{
	put_problems(r, b);
	put_answer(r, b);
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

/* One of the derived files as it would be written now, in b, which is begun
 * here. */
static void
draw(const struct run_report *r, size_t i, struct buf *b)
{
	buf_init(b, PAGE_BYTES);
	report_files[i].render(r, b);
}

static const char *
bytes_of(const struct buf *b)
{
	return b->data ? b->data : "";
}

/* What this build derives, for who derives it by another. */
static json_t *
derived_hashes(const struct run_report *r)
{
	json_t *hashes = json_object();

	for (size_t i = 0; i < NFILES; i++) {
		char hash[DIGEST_HEX];
		struct buf b;

		draw(r, i, &b);
		digest_sha256_hex(bytes_of(&b), b.len, hash);
		json_object_set_new(hashes, report_files[i].name,
		    json_string(hash));
		buf_done(&b);
	}
	return hashes;
}

/* Logs that are closed now are anchored with the rest, once. */
static enum err
complete_run(struct run_report *r, struct why *why)
{
	json_t *versions = json_object_get(r->run, "versions"), *anchors;
	bool late = r->chaos_chain.closed;

	json_object_set_new(r->run, "fingerprint", json_string(r->fingerprint));
	json_object_set_new(r->run, "chaos_run_hash",
	    json_string(r->chaos_run_hash));
	json_object_set_new(r->run, "counts", counts_json(r));
	if (json_array_size(r->scorecard.other_labs) > 0)
		json_object_set(r->run, "other_labs", r->scorecard.other_labs);
	json_object_set_new(versions, "build", json_string(build_id()));
	anchors = anchor_make(r->dir, late);
	json_object_set_new(anchors, "derived", derived_hashes(r));
	json_object_set_new(r->run, "anchors", anchors);
	return run_file_write(r->dir, r->run, why);
}

/* A run that ends has the anchors of an earlier end at most. */
static bool
is_complete(const struct run_report *r)
{
	json_t *anchors = json_object_get(r->run, "anchors");

	return r->mode != RUN_REPORT_ENDING && anchors &&
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

		draw(r, i, &b);
		e = files_write(path, bytes_of(&b), b.len, why);
		buf_done(&b);
		free(path);
	}
	return e;
}

char *
run_report_other_build(const struct run_report *r)
{
	json_t *versions = json_object_get(r->run, "versions");
	const char *version = jlenient_text(versions, "kernelforge");
	const char *build = jlenient_text(versions, "build");

	if ((!*version || strcmp(version, opts_version()) == 0) &&
	    (!*build || strcmp(build, build_id()) == 0))
		return NULL;
	return xasprintf("%s%s%s", version, *build ? ", build " : "", build);
}

/* The i-th of the derived files as it is there, owned; NULL: it cannot be
 * read. */
static char *
read_derived(const struct run_report *r, size_t i, size_t *ret_len)
{
	char *path = files_join(r->dir, report_files[i].name), *text = NULL;

	(void)files_read_kept(path, PAGE_BYTES, &text, ret_len, NULL);
	free(path);
	return text;
}

enum likeness {
	LIKE_DERIVED, /* byte by byte what would be written now */
	LIKE_LEFT,    /* what the build that made the run left */
	LIKE_UNKNOWN, /* of another version, which kept no hashes */
	LIKE_NOTHING
};

/*
 * Who edits a derived file would have to put its hash into run.json too, and
 * another build's name and a new seal: that is another run, as all such edits
 * are (docs/ledger.md).  By the build that made the run no hash is believed.
 */
static enum likeness
likeness_of(const struct run_report *r, size_t i)
{
	json_t *anchor =
	    json_object_get(json_object_get(json_object_get(r->run, "anchors"),
	                        "derived"),
	        report_files[i].name);
	char *other = run_report_other_build(r), hash[DIGEST_HEX] = "";
	enum likeness like = LIKE_NOTHING;
	size_t len = 0;
	char *text = read_derived(r, i, &len);
	struct buf b;

	draw(r, i, &b);
	if (text)
		digest_sha256_hex(text, len, hash);
	if (text && len == b.len && memcmp(text, bytes_of(&b), len) == 0)
		like = LIKE_DERIVED;
	else if (other && !anchor)
		like = LIKE_UNKNOWN;
	else if (other && json_is_string(anchor) &&
	    strcmp(json_string_value(anchor), hash) == 0)
		like = LIKE_LEFT;
	buf_done(&b);
	free(text);
	free(other);
	return like;
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
run_report_check_files(struct run_report *r, json_t *problems)
{
	/* Apart until all are drawn: a page begins with the run's problems. */
	json_t *found = json_array();

	json_array_clear(r->foreign);
	/* A run beside a proxy has its page made once more, after both. */
	for (size_t i = 0;
	     i < NFILES && is_complete(r) && json_array_size(r->problems) == 0;
	     i++) {
		const char *name = report_files[i].name;
		enum likeness like =
		    is_there(r, name) ? likeness_of(r, i) : LIKE_DERIVED;

		if (like == LIKE_NOTHING)
			json_array_append_new(found,
			    json_sprintf("%s: not what follows from the run",
			        name));
		else if (like != LIKE_DERIVED)
			json_array_append_new(r->foreign, json_string(name));
	}
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

void
run_report_withdraw(const char *dir)
{
	for (size_t i = 0; i < NFILES; i++) {
		char *path = files_join(dir, report_files[i].name);

		if (unlink(path) == 0)
			log_error("report",
			    "%s: removed: it was made of a run that cannot be "
			    "read any more",
			    report_files[i].name);
		free(path);
	}
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
		char *clean = claim_clean(json_string_value(problem),
		    RUN_REPORT_LINE_CHARS);

		log_error("check", "%s", clean);
		free(clean);
	}
}

static void
print_part(const struct run_report *r, render_fn *render)
{
	struct buf b;

	buf_init(&b, PAGE_BYTES);
	render(r, &b);
	if (b.len > 0) {
		putchar('\n');
		term_print_wrapped(b.data, stdout);
	}
	buf_done(&b);
}

void
run_report_print(const struct run_report *r)
{
	struct term_table t;
	char speed[SPEED_TEXT_BYTES];

	print_part(r, put_problems);
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
	print_part(r, put_answer);
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
