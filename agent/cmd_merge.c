/*
 * kernelforge merge: the shards of a run as one scorecard.
 *
 * Each shard is proved before it is counted, and no operator may be in two: a
 * sum over them would otherwise say more than was run.  What makes a sum less
 * than one run's is told: other seeds, scenarios or profiles, which prove as
 * much, and a shard that ended before its time or is not there, which makes it
 * exit 1.
 */
#include "agent/commands.h"
#include "agent/ledger/rundir.h"
#include "agent/run/shard.h"
#include "agent/telling/final_answer.h"
#include "agent/telling/run_report.h"
#include "agent/text/term.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/log.h"
#include "base/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_MAX 256

struct merge_line {
	const char *out;
};

/* clang-format off */
static const struct opt rows[] = {
	{ "out", OPT_STRING, offsetof(struct merge_line, out), 0, 0, "DIR", "writes the merged scorecard.json into this folder, which holds no run" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge merge",
	.usage = "DIR...",
	.about = "proves the run directories of shards and merges their "
	         "scorecards",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 1,
	.args_max = SHARDS_MAX,
	.examples = "kernelforge merge --out whole shards/1 shards/2\t"
	            "the scorecard of both, if their ledgers hold\n",
};

/* Shards are disjoint: an operator that two have is counted by none. */
static enum err
check_disjoint(const char *dir, json_t *seen, json_t *ops, struct why *why)
{
	size_t i;
	json_t *row;

	json_array_foreach(ops, i, row) {
		const char *op = jlenient_text(row, "op");
		json_t *other = json_object_get(seen, op);

		if (other)
			return why_set(why, ERR_STATE,
			    "%s: has %s, which %s has as well: no shards of "
			    "one run",
			    dir, op, json_string_value(other));
		json_object_set_new(seen, op, json_string(dir));
	}
	return ERR_OK;
}

struct merging {
	struct scorecard sum;
	json_t *seen;  /* owned: object of operator to directory */
	json_t *first; /* owned: run.json of the first shard */
	const char *first_dir;
	json_t *shards; /* owned: array by number - 1 of directories; null: not
	                   there */
	bool is_whole;  /* no shard ended before its time, none is missing */
};

/* Which, not what: a name or a seed may be anybody's text. */
static void
say_others(const struct merging *m, const char *dir, json_t *run)
{
	static const char *const keys[] = { "scenario", "seed", "profile" };

	for (size_t i = 0; i < COUNT(keys); i++)
		if (!json_equal(json_object_get(m->first, keys[i]),
		        json_object_get(run, keys[i])))
			log_warn("merge", "%s: its %s is not the one of %s",
			    dir, keys[i], m->first_dir);
}

static void
say_ending(struct merging *m, const char *dir, const struct ledger *l)
{
	const char *ending = final_answer_ending(l);

	if (!ending)
		return;
	m->is_whole = false;
	log_error("merge", "%s: the run ended before its time: %s", dir,
	    ending);
}

/* A run that says which shard it is says how many there are. */
static enum err
note_shard(struct merging *m, const char *dir, json_t *run, struct why *why)
{
	const char *text =
	    jlenient_text(json_object_get(run, "arguments"), "shard");
	size_t number, of;
	enum err e = *text ? shard_read(text, &number, &of, why) : ERR_OK;

	if (!*text || e != ERR_OK)
		return e;
	if (of > SHARDS_MAX ||
	    (json_array_size(m->shards) > 0 &&
	        json_array_size(m->shards) != of))
		return why_set(why, ERR_STATE,
		    "%s: is one of %zu shards, expected one of %zu", dir, of,
		    json_array_size(m->shards) > 0 ? json_array_size(m->shards)
		                                   : (size_t)SHARDS_MAX);
	while (json_array_size(m->shards) < of)
		json_array_append_new(m->shards, json_null());
	json_array_set_new(m->shards, number - 1, json_string(dir));
	return ERR_OK;
}

static void
say_missing(struct merging *m)
{
	size_t i;
	json_t *dir;

	json_array_foreach(m->shards, i, dir)
		if (json_is_null(dir)) {
			m->is_whole = false;
			log_error("merge", "shard %zu/%zu is not among them",
			    i + 1, json_array_size(m->shards));
		}
}

static enum err
add_shard(struct merging *m, const char *dir, struct why *why)
{
	struct run_report *r = NULL;
	enum err e = run_report_load_sound(dir, "merged", &r, why);

	if (e != ERR_OK)
		return e;
	e = check_disjoint(dir, m->seen, r->scorecard.ops, why);
	if (e == ERR_OK)
		e = note_shard(m, dir, r->run, why);
	if (e == ERR_OK) {
		scorecard_add(&m->sum, &r->scorecard);
		if (!m->first) {
			m->first = json_incref(r->run);
			m->first_dir = dir;
		}
		say_others(m, dir, r->run);
		say_ending(m, dir, r->ledger);
	}
	run_report_free(r);
	return e;
}

static void
print_card(const struct scorecard *s)
{
	struct term_table t;

	scorecard_table(s, &t);
	term_table_print(&t, stdout);
	term_table_done(&t);
	scorecard_detail(s, &t);
	term_table_print(&t, stdout);
	term_table_done(&t);
	printf("%ld of %ld operators verified.\n", s->forge.claimed,
	    s->forge.total);
}

/* A run's scorecard is its own; whoever checked it would find it edited. */
static enum err
make_out(const char *out, struct why *why)
{
	static const char *const names[] = { "run.json", "ledger.jsonl" };
	enum err e = files_mkdirs(out, why);

	for (size_t i = 0; e == ERR_OK && i < COUNT(names); i++) {
		char *path = files_join(out, names[i]);

		if (files_exists(path))
			e = why_set(why, ERR_SYNTAX,
			    "--out: %s holds a run, which has a scorecard of "
			    "its own",
			    out);
		free(path);
	}
	return e;
}

static int
run(int argc, char **argv)
{
	struct merge_line line = { NULL };
	const char *dirs[SHARDS_MAX];
	struct merging m = { .is_whole = true };
	json_t *card;
	struct why why;
	size_t ndirs = 0;
	int code;
	enum err e = ERR_OK;

	if (!command_parse(&cmd_merge, argc, argv, &line, dirs, &ndirs, &code))
		return code;
	scorecard_init(&m.sum);
	m.seen = json_object();
	m.shards = json_array();
	if (line.out)
		e = make_out(line.out, &why);
	for (size_t i = 0; e == ERR_OK && i < ndirs; i++)
		e = add_shard(&m, dirs[i], &why);
	if (e == ERR_OK && line.out) {
		card = scorecard_json(&m.sum);
		e = rundir_write_json(line.out, "scorecard.json", card, &why);
		json_decref(card);
	}
	if (e == ERR_OK) {
		print_card(&m.sum);
		say_missing(&m);
	} else
		log_error("merge", "%s", why.text);
	scorecard_done(&m.sum);
	json_decref(m.seen);
	json_decref(m.shards);
	json_decref(m.first);
	if (e == ERR_OK && !m.is_whole)
		return EXIT_JUDGED;
	return (int)err_exit_code(e);
}

const struct command cmd_merge = { "merge", &opts, run };
