/*
 * kernelforge ledger: proves a ledger, or shows it.
 *
 * A run's folder is proved with the files that its ledger speaks of; a file
 * alone only by its own chain, and the output says so.
 */
#include "agent/commands.h"
#include "agent/ledger/ledger.h"
#include "agent/ledger/rundir.h"
#include "agent/run/run_file.h"
#include "agent/telling/build_id.h"
#include "agent/telling/final_answer.h"
#include "agent/telling/run_report.h"
#include "agent/text/claim_filter.h"
#include "agent/text/term.h"
#include "base/buf.h"
#include "base/chained_journal.h"
#include "base/columns.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

static const struct opt_command opts = {
	.name = "kernelforge ledger",
	.usage = "check|show FILE|DIR",
	.about = "proves that nothing of a run was removed, reordered or "
	         "edited; or shows the lines",
	.args_min = 2,
	.args_max = 2,
	.examples = "kernelforge ledger check runs/DIR\t"
	            "is everything as the run left it?\n"
	            "kernelforge ledger show runs/DIR/ledger.jsonl\t"
	            "its lines as a table\n",
};

static void
add_clean(struct term_table *t, const char *text)
{
	char *clean = claim_field(text, 60);

	term_table_add(t, TERM_PLAIN, clean);
	free(clean);
}

static void
add_route(struct term_table *t, const char *route,
    const struct model_asked *models)
{
	char *shown = model_name_of_route(route, models);

	term_table_add(t, TERM_PLAIN, shown);
	free(shown);
}

static enum term_colour
colour_of(enum ledger_state s)
{
	if (ledger_is_verified(s))
		return TERM_GOOD;
	return ledger_has_failed(s) ? TERM_BAD : TERM_PLAIN;
}

/* The run directory that holds the file: it has a run.json.  Owned, or NULL. */
static char *
run_of(const char *arg)
{
	char *dir, *run = files_join(arg, "run.json");

	if (files_exists(run))
		dir = xstrdup(arg);
	else
		dir = files_folder(arg);
	free(run);
	run = files_join(dir, "run.json");
	if (!files_exists(run)) {
		free(dir);
		dir = NULL;
	}
	free(run);
	return dir;
}

/* What the run of this ledger was asked for; owned, NULL: not known. */
static json_t *
asked_of(const char *arg)
{
	char *dir = run_of(arg);
	json_t *run = NULL;

	if (dir)
		(void)rundir_read_json(dir, "run.json", &run, NULL);
	free(dir);
	return run;
}

static void
print(const struct ledger *l, json_t *run)
{
	const struct model_asked models = run_file_asked(run);
	static const char *const head[] = { "Line", "Operator", "Try", "State",
		"Route", "Class" };
	struct term_table t;
	char *answer;

	term_table_init(&t, COUNT(head));
	for (size_t i = 0; i < COUNT(head); i++)
		term_table_add(&t, TERM_BOLD, head[i]);
	for (size_t i = 0; i < ledger_count(l); i++) {
		const struct ledger_entry *e = ledger_at(l, i);

		term_table_addf(&t, TERM_PLAIN, "%zu", i + 1);
		add_clean(&t, e->op);
		term_table_addf(&t, TERM_PLAIN, "%u", e->iteration);
		term_table_add(&t, colour_of(e->state),
		    ledger_state_label(e->state));
		add_route(&t, e->route, &models);
		add_clean(&t,
		    json_string_value(json_object_get(e->line, "class")));
	}
	term_table_print(&t, stdout);
	term_table_done(&t);
	answer = final_answer_render(l,
	    json_array_size(json_object_get(run, "ops")), &models);
	putchar('\n');
	term_print_wrapped(answer, stdout);
	free(answer);
}

/* DIR/ledger.jsonl for a run directory, else the file itself.  Owned. */
static char *
ledger_path(const char *arg)
{
	char *inside = files_join(arg, "ledger.jsonl");

	if (files_exists(inside))
		return inside;
	free(inside);
	return xstrdup(arg);
}

static int
fail(enum err e, const struct why *why)
{
	log_error("ledger", "%s", why->text);
	return e == ERR_NOTFOUND ? EXIT_USAGE : EXIT_JUDGED;
}

/* What another build derived is as that build left it, and in its words. */
static void
print_foreign(const char *shown, const struct run_report *r)
{
	char *other = run_report_other_build(r);
	char *clean = claim_clean(other, 80);
	struct buf names;
	size_t i;
	json_t *name;

	buf_init(&names, (size_t)64 << 10);
	json_array_foreach(r->foreign, i, name)
		buf_addf(&names, "%s%s", i ? ", " : "",
		    json_string_value(name));
	columns_say(stdout,
	    "%s: made by another build of kernelforge, %s (this one is %s, "
	    "build %s): %s: in that build's words, which were not compared "
	    "with what follows from the run; `kernelforge report` makes them "
	    "anew",
	    shown, clean, opts_version(), build_id(), names.data);
	buf_done(&names);
	free(other);
	free(clean);
}

static void
print_sound(const char *dir, const struct run_report *r)
{
	bool is_foreign = json_array_size(r->foreign) > 0;
	char *shown = xstrdup(dir);

	why_clean(shown);
	columns_say(stdout,
	    "%s: %zu records, the chain holds and is closed, every "
	    "transition is legal, every seed is the one committed to, every "
	    "%sfile is the run's",
	    shown, ledger_count(r->ledger), is_foreign ? "recorded " : "");
	if (is_foreign)
		print_foreign(shown, r);
	free(shown);
}

/* All of a run, of which the ledger is a part. */
static int
check_run(const char *dir)
{
	struct run_report *r = NULL;
	struct why why;
	enum err e = run_report_load(dir, RUN_REPORT_CHECK, &r, &why);
	int code = EXIT_DONE;

	if (e != ERR_OK)
		return fail(e, &why);
	run_report_check_all_files(r);
	run_report_say_problems(r);
	if (json_array_size(r->problems) > 0)
		code = EXIT_JUDGED;
	else
		print_sound(dir, r);
	run_report_free(r);
	return code;
}

/* A ledger by itself, without its run. */
static int
check_alone(const char *path)
{
	struct ledger *l = NULL;
	struct journal_facts f;
	struct why why;
	enum err e = ledger_read(path, &l, &why);

	if (e == ERR_OK)
		/* Again, for the facts: ledger_read() keeps the lines and not
		 * how the file ends. */
		e = journal_check(path, NULL, NULL, &f, &why);
	if (e == ERR_OK && !f.closed)
		e = why_set(&why, ERR_SYNTAX,
		    "%s: not closed: its end was cut off, or the run did not "
		    "end",
		    path);
	if (e == ERR_OK) {
		char *shown = xstrdup(path);

		why_clean(shown);
		columns_say(stdout,
		    "%s: %zu records, the chain holds and is closed, every "
		    "transition is legal, last hash %s",
		    shown, ledger_count(l), f.head);
		free(shown);
	}
	ledger_free(l);
	return e == ERR_OK ? EXIT_DONE : fail(e, &why);
}

static int
check(const char *arg)
{
	char *dir = run_of(arg), *path = ledger_path(arg);
	int code;

	if (!dir && !files_exists(path)) {
		log_error("ledger", "%s: no such file", arg);
		code = EXIT_USAGE;
	} else if (!dir && strcmp(path, arg) != 0) {
		/* Not a file by itself: a run from which one is gone. */
		log_error("ledger",
		    "%s/run.json: missing, so nothing says what the run's "
		    "files were",
		    arg);
		code = EXIT_JUDGED;
	} else
		code = dir ? check_run(dir) : check_alone(path);
	free(dir);
	free(path);
	return code;
}

static int
show(const char *arg)
{
	char *path = ledger_path(arg);
	struct ledger *l = NULL;
	json_t *run = asked_of(arg);
	struct why why;
	enum err e = files_exists(path)
	    ? ledger_read(path, &l, &why)
	    : why_set(&why, ERR_NOTFOUND, "%s: no such file", path);

	if (e == ERR_OK)
		print(l, run);
	json_decref(run);
	ledger_free(l);
	free(path);
	return e == ERR_OK ? EXIT_DONE : fail(e, &why);
}

static const struct {
	const char *word;
	int (*run)(const char *arg);
} verbs[] = {
	{ "check", check },
	{ "show", show },
};

static int
run(int argc, char **argv)
{
	const char *args[2];
	size_t nargs;
	int code;

	if (!command_parse(&cmd_ledger, argc, argv, NULL, args, &nargs, &code))
		return code;
	for (size_t i = 0; i < COUNT(verbs); i++)
		if (strcmp(verbs[i].word, args[0]) == 0)
			return verbs[i].run(args[1]);
	log_error("ledger", "found \"%.60s\", expected check or show", args[0]);
	return EXIT_USAGE;
}

const struct command cmd_ledger = { "ledger", &opts, run };
