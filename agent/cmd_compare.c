/*
 * kernelforge compare: two runs, or two folders of runs, pair by pair.
 *
 * Here is decided what a pair is: an operator that both runs were asked for, in
 * runs of one name. What only one side has is no pair and counts for nobody;
 * the arithmetic is study/paired_test.h.
 */
#include "agent/commands.h"
#include "agent/study/paired_test.h"
#include "agent/telling/final_answer.h"
#include "agent/telling/run_report.h"
#include "agent/text/claim_filter.h"
#include "agent/text/term.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/log.h"
#include "base/mem.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_NAME_CHARS 64

struct compare_line {
	bool json;
};

/* clang-format off */
static const struct opt rows[] = {
	{ "json", OPT_FLAG, offsetof(struct compare_line, json), 0, 0, NULL, "print one JSON object" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge compare",
	.usage = "DIR_A DIR_B",
	.about = "compares two runs operator by operator, or two folders of "
	         "runs that are paired by name: what B gains, with its "
	         "interval, and an exact test",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 2,
	.args_max = 2,
	.examples = "kernelforge compare runs/PLAIN runs/FEWSHOT\t"
	            "what the second run gained, operator by operator\n"
	            "kernelforge compare --json SEEDS_A SEEDS_B\t"
	            "folders of runs, paired by their names, as one object\n",
};

static bool
is_verified(json_t *row)
{
	return ledger_is_verified(
	    ledger_state_find(jlenient_text(row, "state")));
}

static bool
is_verified_at_once(json_t *row)
{
	return is_verified(row) &&
	    json_integer_value(json_object_get(row, "iterations")) == 1;
}

static bool
is_naive_right(json_t *row)
{
	return json_is_true(json_object_get(row, "naive_correct"));
}

/* What is compared of an operator. */
static const struct {
	const char *name, *label;
	bool (*holds)(json_t *row);
	const char *needs; /* a key that a row may lack: it was not asked */
} outcomes[] = {
	{ "verified", "verified", is_verified, NULL },
	{ "first_try", "verified at the first try", is_verified_at_once, NULL },
	{ "naive_right", "the baseline's claim is right", is_naive_right,
	    "naive_truth" },
};

#define NOUTCOMES COUNT(outcomes)

struct comparison {
	json_t *pairs; /* owned: an object a pair */
	struct paired sums[NOUTCOMES];
	bool is_cut; /* a run ended before its time */
};

/* ---- one pair of runs */

/* Of a run that was cut short nobody knows what the rest would have been, and
 * of an operator that nothing was asked of neither. */
static json_t *
judged_rows(json_t *ops, bool is_cut)
{
	json_t *judged = json_array(), *row;
	size_t i;

	json_array_foreach(ops, i, row)
		if (is_verified(row) ||
		    (!is_cut &&
		        json_integer_value(json_object_get(row, "iterations"))))
			json_array_append(judged, row);
	return judged;
}

/* The rows of a run that holds; ERR_STATE says what does not. */
static enum err
read_rows(struct comparison *c, const char *dir, json_t **ret, struct why *why)
{
	struct run_report *r = NULL;
	const char *ending;
	enum err e = run_report_load_sound(dir, "compared", &r, why);

	if (e != ERR_OK)
		return e;
	ending = final_answer_ending(r->ledger);
	if (ending)
		log_error("compare", "%s: the run ended before its time: %s",
		    dir, ending);
	c->is_cut = c->is_cut || ending;
	*ret = judged_rows(r->scorecard.ops, ending != NULL);
	run_report_free(r);
	return ERR_OK;
}

static json_t *
find_row(json_t *rows_b, const char *op)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows_b, i, row)
		if (strcmp(jlenient_text(row, "op"), op) == 0)
			return row;
	return NULL;
}

static void
compare_rows(struct comparison *c, const char *run, json_t *a, json_t *b)
{
	char *name = claim_field(run, RUN_NAME_CHARS);
	json_t *pair = json_pack("{s:s, s:s, s:I, s:I}", "run", name, "op",
	    jlenient_text(a, "op"), "iterations_a",
	    json_integer_value(json_object_get(a, "iterations")),
	    "iterations_b",
	    json_integer_value(json_object_get(b, "iterations")));

	for (size_t i = 0; i < NOUTCOMES; i++) {
		bool in_a = outcomes[i].holds(a), in_b = outcomes[i].holds(b);
		const char *needs = outcomes[i].needs;

		if (needs &&
		    (!json_object_get(a, needs) || !json_object_get(b, needs)))
			continue;
		paired_count(&c->sums[i], in_a, in_b);
		json_object_set_new(pair, outcomes[i].name,
		    json_pack("[b, b]", in_a, in_b));
	}
	json_array_append_new(c->pairs, pair);
	free(name);
}

/* Operators that only one of them was asked for are no pairs. */
static enum err
compare_runs(struct comparison *c, const char *run, const char *dir_a,
    const char *dir_b, struct why *why)
{
	json_t *a = NULL, *b = NULL, *row;
	size_t i;
	enum err e = read_rows(c, dir_a, &a, why);

	if (e == ERR_OK)
		e = read_rows(c, dir_b, &b, why);
	if (e == ERR_OK)
		json_array_foreach(a, i, row) {
			json_t *other = find_row(b, jlenient_text(row, "op"));

			if (other)
				compare_rows(c, run, row, other);
		}
	json_decref(a);
	json_decref(b);
	return e;
}

/* ---- folders of runs */

static bool
holds_run(const char *dir)
{
	char *path = files_join(dir, "run.json");
	bool is = files_exists(path);

	free(path);
	return is;
}

static int
is_name(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static enum err
compare_named(struct comparison *c, const char *name, const char *const dirs[2],
    struct why *why)
{
	char *a = files_join(dirs[0], name), *b = files_join(dirs[1], name);
	enum err e = ERR_OK;

	/* A run that only one side has is no pair, and says nothing about the
	 * other. */
	if (holds_run(a) && holds_run(b))
		e = compare_runs(c, name, a, b, why);
	free(a);
	free(b);
	return e;
}

static enum err
compare_folders(struct comparison *c, const char *const dirs[2],
    struct why *why)
{
	struct dirent **names;
	int n = scandir(dirs[0], &names, is_name, alphasort);
	enum err e = ERR_OK;

	if (n < 0)
		return why_set(why, ERR_NOTFOUND, "%s: no folder", dirs[0]);
	for (int i = 0; i < n; i++) {
		if (e == ERR_OK)
			e = compare_named(c, names[i]->d_name, dirs, why);
		free(names[i]);
	}
	free(names);
	return e;
}

static enum err
compare(struct comparison *c, const char *const dirs[2], struct why *why)
{
	enum err e = holds_run(dirs[0]) && holds_run(dirs[1])
	    ? compare_runs(c, "", dirs[0], dirs[1], why)
	    : compare_folders(c, dirs, why);

	if (e == ERR_OK && json_array_size(c->pairs) == 0)
		e = why_set(why, ERR_NOTFOUND,
		    "%s and %s have no run and operator in common", dirs[0],
		    dirs[1]);
	return e;
}

/* ---- telling */

static json_t *
outcome_json(const struct paired *p)
{
	struct paired_effect e = paired_effect(p);

	return json_pack("{s:i, s:i, s:i, s:i, s:f, s:f, s:[f, f]}", "both",
	    (int)p->both, "only_a", (int)p->only_a, "only_b", (int)p->only_b,
	    "neither", (int)p->neither, "p", paired_test(p), "gain", e.diff,
	    "interval", e.low, e.high);
}

static void
print_json(const struct comparison *c)
{
	json_t *all = json_pack("{s:O}", "pairs", c->pairs);
	char *text;

	for (size_t i = 0; i < NOUTCOMES; i++)
		json_object_set_new(all, outcomes[i].name,
		    outcome_json(&c->sums[i]));
	text = json_dumps(all,
	    JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
	puts(text);
	free(text);
	json_decref(all);
}

static void
print_pairs(json_t *pairs)
{
	static const char *const words[2][2] = { { "neither", "only B" },
		{ "only A", "both" } };
	struct term_table t;
	size_t i;
	json_t *pair;

	term_table_init(&t, 4);
	term_table_add(&t, TERM_BOLD, "Operator");
	term_table_add(&t, TERM_BOLD, "Verified");
	term_table_add(&t, TERM_BOLD, "Tries A, B");
	term_table_add(&t, TERM_BOLD, "First try");
	json_array_foreach(pairs, i, pair) {
		json_t *v = json_object_get(pair, "verified");
		json_t *f = json_object_get(pair, "first_try");
		const char *run = jlenient_text(pair, "run");

		term_table_addf(&t, TERM_PLAIN, "%s%s%s", run, *run ? "/" : "",
		    jlenient_text(pair, "op"));
		term_table_add(&t, TERM_PLAIN,
		    words[json_is_true(json_array_get(v, 0))]
		         [json_is_true(json_array_get(v, 1))]);
		term_table_addf(&t, TERM_PLAIN, "%lld, %lld",
		    (long long)json_integer_value(
		        json_object_get(pair, "iterations_a")),
		    (long long)json_integer_value(
		        json_object_get(pair, "iterations_b")));
		term_table_add(&t, TERM_PLAIN,
		    words[json_is_true(json_array_get(f, 0))]
		         [json_is_true(json_array_get(f, 1))]);
	}
	term_table_print(&t, stdout);
	term_table_done(&t);
}

static void
print_sums(const struct comparison *c)
{
	struct term_table t;

	term_table_init(&t, 6);
	term_table_add(&t, TERM_BOLD, "Of the operators");
	term_table_add(&t, TERM_BOLD, "A");
	term_table_add(&t, TERM_BOLD, "B");
	term_table_add(&t, TERM_BOLD, "Only A, only B");
	term_table_add(&t, TERM_BOLD, "Gain of B (95 %)");
	term_table_add(&t, TERM_BOLD, "Exact p");
	for (size_t i = 0; i < NOUTCOMES; i++) {
		const struct paired *p = &c->sums[i];
		struct paired_effect e = paired_effect(p);

		if (paired_n(p) == 0)
			continue;
		term_table_add(&t, TERM_PLAIN, outcomes[i].label);
		term_table_addf(&t, TERM_PLAIN, "%u of %u", p->both + p->only_a,
		    paired_n(p));
		term_table_addf(&t, TERM_PLAIN, "%u of %u", p->both + p->only_b,
		    paired_n(p));
		term_table_addf(&t, TERM_PLAIN, "%u, %u", p->only_a, p->only_b);
		term_table_addf(&t, TERM_PLAIN, "%+.2f (%+.2f to %+.2f)",
		    e.diff, e.low, e.high);
		term_table_addf(&t, TERM_PLAIN, "%.3g", paired_test(p));
	}
	term_table_print(&t, stdout);
	term_table_done(&t);
}

static int
run(int argc, char **argv)
{
	struct compare_line line = { false };
	struct comparison c = { .pairs = NULL };
	const char *args[2];
	struct why why;
	size_t nargs;
	int code;
	enum err e;

	if (!command_parse(&cmd_compare, argc, argv, &line, args, &nargs,
	        &code))
		return code;
	c.pairs = json_array();
	e = compare(&c, args, &why);
	if (e != ERR_OK)
		log_error("compare", "%s", why.text);
	else if (line.json)
		print_json(&c);
	else {
		print_pairs(c.pairs);
		print_sums(&c);
	}
	json_decref(c.pairs);
	return c.is_cut ? EXIT_JUDGED : (int)err_exit_code(e);
}

const struct command cmd_compare = { "compare", &opts, run };
