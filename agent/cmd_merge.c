/*
 * kernelforge merge: the shards of a run as one scorecard.
 *
 * Each shard is proved before it is counted, and no operator may be in two: a
 * sum over them would otherwise say more than was run.
 */
#include "agent/commands.h"
#include "agent/ledger/rundir.h"
#include "agent/telling/run_report.h"
#include "agent/text/term.h"
#include "base/jlenient.h"
#include "base/log.h"
#include <stdio.h>
#include <string.h>

#define SHARDS_MAX 256

struct merge_line {
	const char *out;
};

/* clang-format off */
static const struct opt rows[] = {
	{ "out", OPT_STRING, offsetof(struct merge_line, out), 0, 0, "DIR", "writes the merged scorecard.json into this folder, which must exist" },
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

static enum err
add_shard(const char *dir, json_t *seen, struct scorecard *sum, struct why *why)
{
	struct run_report *r = NULL;
	enum err e = run_report_load_sound(dir, "merged", &r, why);

	if (e != ERR_OK)
		return e;
	e = check_disjoint(dir, seen, r->scorecard.ops, why);
	if (e == ERR_OK)
		scorecard_add(sum, &r->scorecard);
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

static int
run(int argc, char **argv)
{
	struct merge_line line = { NULL };
	const char *dirs[SHARDS_MAX];
	struct scorecard sum;
	json_t *seen = json_object(), *card;
	struct why why;
	size_t ndirs = 0;
	int code;
	enum err e = ERR_OK;

	if (!command_parse(&cmd_merge, argc, argv, &line, dirs, &ndirs,
	        &code)) {
		json_decref(seen);
		return code;
	}
	scorecard_init(&sum);
	for (size_t i = 0; e == ERR_OK && i < ndirs; i++)
		e = add_shard(dirs[i], seen, &sum, &why);
	if (e == ERR_OK && line.out) {
		card = scorecard_json(&sum);
		e = rundir_write_json(line.out, "scorecard.json", card, &why);
		json_decref(card);
	}
	if (e == ERR_OK)
		print_card(&sum);
	else
		log_error("merge", "%s", why.text);
	scorecard_done(&sum);
	json_decref(seen);
	return (int)err_exit_code(e);
}

const struct command cmd_merge = { "merge", &opts, run };
