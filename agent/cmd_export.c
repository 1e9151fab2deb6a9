/*
 * kernelforge export: what runs have taught, as lines for who trains a model.
 *
 * Every verdict is the ledger's, and a directory that does not hold gives
 * nothing: a line that cannot be proved is worse than none.  So an attempt that
 * ended by another lab's word alone is left out: nobody proved it right or
 * wrong.
 */
#include "agent/commands.h"
#include "agent/telling/run_report.h"
#include "base/jlenient.h"
#include "base/log.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 256

struct export_line {
	const char *format, *licence;
	bool pairs;
};

#define AT(m) offsetof(struct export_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "format",  OPT_STRING, AT(format),  0, 0, "NAME", "jsonl, the only one (default)" },
	{ "licence", OPT_STRING, AT(licence), 0, 0, "TEXT", "what to say of the answers' licence (default: not stated)" },
	{ "pairs",   OPT_FLAG,	 AT(pairs),   0, 0, NULL,   "a line for each refused answer beside the verified one of its operator" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge export",
	.usage = "DIR...",
	.about = "prints the attempts of runs as JSON lines: prompt, answer, "
	         "verdict, feedback, next answer",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 1,
	.args_max = RUNS_MAX,
	.examples = "kernelforge export runs/DIR\t"
	            "a line for each attempt that the ledger proves\n"
	            "kernelforge export --pairs --licence CC0-1.0 runs/DIR\t"
	            "refused answers, each beside the verified one\n",
};

static json_t *
record_of(const struct run_report *r, const char *op, unsigned iteration)
{
	char *key = xasprintf("%s/%u", op, iteration);
	json_t *record = json_object_get(r->records, key);

	free(key);
	return record;
}

static json_t *
or_null(json_t *v)
{
	return v ? json_incref(v) : json_null();
}

/* "PROVIDER/MODEL". */
static json_t *
model_of(const struct op_standing_try *t)
{
	return json_stringn(t->route, strcspn(t->route, " "));
}

static void
put_line(json_t *line)
{
	char *text = json_dumps(line,
	    JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));

	puts(text);
	free(text);
	json_decref(line);
}

/* What both kinds of lines begin with. */
static json_t *
line_new(const struct export_line *o, const struct run_report *r,
    const struct op_standing *st)
{
	return json_pack("{s:O, s:O, s:s, s:s}", "scenario",
	    json_object_get(r->run, "scenario"), "fingerprint",
	    json_object_get(r->run, "fingerprint"), "op", st->op, "licence",
	    o->licence);
}

/* An answer that was changed on its way is not the model's. */
static bool
is_corrupted(json_t *record)
{
	return json_object_get(record, "corrupted") != NULL;
}

/* Not an attempt that failed on the wire, for want of an answer; nor one that
 * ended by the word of another lab, for want of a verdict. */
static bool
teaches(const struct op_standing_try *t, json_t *record)
{
	return json_is_string(json_object_get(record, "answer")) &&
	    !opinion_ended(t->state, t->class);
}

static void
put_attempt(const struct export_line *o, const struct run_report *r,
    const struct op_standing *st, const struct op_standing_try *t)
{
	json_t *record = record_of(r, st->key, t->iteration);
	json_t *next = record_of(r, st->key, t->iteration + 1);
	json_t *line;

	if (!teaches(t, record))
		return;
	line = line_new(o, r, st);
	json_object_set_new(line, "iteration",
	    json_integer((json_int_t)t->iteration));
	json_object_set_new(line, "model", model_of(t));
	json_object_set_new(line, "prompt",
	    or_null(json_object_get(record, "asked")));
	json_object_set_new(line, "answer",
	    or_null(json_object_get(record, "answer")));
	json_object_set_new(line, "corrupted",
	    json_boolean(is_corrupted(record)));
	json_object_set_new(line, "state",
	    json_string(ledger_state_name(t->state)));
	json_object_set_new(line, "class", json_string(t->class));
	json_object_set(line, "failing_cases", t->failing);
	json_object_set_new(line, "feedback",
	    or_null(json_object_get(record, "feedback")));
	json_object_set_new(line, "next_answer",
	    or_null(json_object_get(next, "answer")));
	json_object_set_new(line, "speedup",
	    t->speedup > 0 ? json_real(t->speedup) : json_null());
	put_line(line);
}

/* The verified answer of an operator; NULL: there is none. */
static const struct op_standing_try *
verified_try(const struct op_standing *st)
{
	const struct op_standing_try *last = op_standing_last(st);

	return last && ledger_is_verified(last->state) ? last : NULL;
}

static void
put_pairs(const struct export_line *o, const struct run_report *r,
    const struct op_standing *st)
{
	const struct op_standing_try *good = verified_try(st);
	json_t *first = record_of(r, st->key, 1);
	json_t *chosen = good ? record_of(r, st->key, good->iteration) : NULL;

	for (unsigned i = 0; chosen && i < st->iterations; i++) {
		const struct op_standing_try *t = &st->tries[i];
		json_t *rejected = record_of(r, st->key, t->iteration), *line;

		if (t == good || !teaches(t, rejected))
			continue;
		line = line_new(o, r, st);
		/* The first question, which both answers answer: later ones
		 * carry the conversation of the attempts between. */
		json_object_set_new(line, "prompt",
		    or_null(json_object_get(first, "asked")));
		json_object_set_new(line, "chosen",
		    or_null(json_object_get(chosen, "answer")));
		json_object_set_new(line, "chosen_model", model_of(good));
		json_object_set_new(line, "rejected",
		    or_null(json_object_get(rejected, "answer")));
		json_object_set_new(line, "rejected_model", model_of(t));
		json_object_set_new(line, "rejected_state",
		    json_string(ledger_state_name(t->state)));
		json_object_set_new(line, "rejected_class",
		    json_string(t->class));
		json_object_set_new(line, "corrupted",
		    json_boolean(is_corrupted(rejected)));
		put_line(line);
	}
}

static enum err
export_run(const struct export_line *o, const char *dir, struct why *why)
{
	struct run_report *r = NULL;
	enum err e = run_report_load_sound(dir, "exported", &r, why);

	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < r->standings.n; i++) {
		const struct op_standing *st = &r->standings.items[i];

		if (o->pairs) {
			put_pairs(o, r, st);
			continue;
		}
		for (unsigned k = 0; k < st->iterations; k++)
			put_attempt(o, r, st, &st->tries[k]);
	}
	run_report_free(r);
	return ERR_OK;
}

static int
run(int argc, char **argv)
{
	struct export_line line = { .format = "jsonl",
		.licence = "not stated" };
	const char *dirs[RUNS_MAX];
	struct why why;
	size_t ndirs = 0;
	int code;
	enum err e = ERR_OK;

	if (!command_parse(&cmd_export, argc, argv, &line, dirs, &ndirs, &code))
		return code;
	if (strcmp(line.format, "jsonl") != 0) {
		log_error("export", "--format: found \"%s\", expected jsonl",
		    line.format);
		return EXIT_USAGE;
	}
	for (size_t i = 0; e == ERR_OK && i < ndirs; i++)
		e = export_run(&line, dirs[i], &why);
	/* A full disk is told of here at the latest; puts() may only have
	 * filled the buffer. */
	if (e == ERR_OK && fflush(stdout) != 0)
		e = why_set(&why, ERR_IO, "standard output cannot be written");
	return command_end(&cmd_export, e, &why);
}

const struct command cmd_export = { "export", &opts, run };
