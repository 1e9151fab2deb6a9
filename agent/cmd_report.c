/*
 * kernelforge report: everything derived from a run directory, once more.
 *
 * The run is checked while it is read. What does not hold costs exit 1 and is
 * written all the same: the page is where people look for it.  Of a run
 * without its run.json the page shows what the journals hold.  Of one that
 * cannot be read at all nothing can be written, and what an earlier report said
 * of it is taken away.
 */
#include "agent/commands.h"
#include "agent/ledger/rundir.h"
#include "agent/telling/run_report.h"
#include "base/files.h"
#include "base/log.h"
#include <stdlib.h>
#include <unistd.h>

static const struct opt_command opts = {
	.name = "kernelforge report",
	.usage = "DIR",
	.about = "proves a run directory, completes run.json and renders "
	         "scorecard, summary and page again",
	.args_min = 1,
	.args_max = 1,
	.examples = "kernelforge report runs/DIR\t"
	            "render it again; exit 1 when something was edited\n",
};

static bool
holds(const char *dir, const char *name)
{
	char *path = files_join(dir, name);
	bool is = files_exists(path);

	free(path);
	return is;
}

/* What of a run is there. */
static enum err
load(const char *dir, struct run_report **ret, struct why *why)
{
	enum err e = run_report_load(dir, RUN_REPORT_CHECK, ret, why);

	if (e != ERR_OK && holds(dir, "ledger.jsonl"))
		e = run_report_load(dir, RUN_REPORT_REMAINS, ret, why);
	/* In a folder that is no run's the names of our files may be somebody
	 * else's. */
	if (e != ERR_OK &&
	    (holds(dir, "run.json") || holds(dir, "ledger.jsonl")))
		run_report_withdraw(dir);
	return e;
}

static int
run(int argc, char **argv)
{
	const char *args[1];
	struct run_report *r = NULL;
	struct why why;
	size_t nargs;
	json_t *edited;
	int code, lock = -1;
	enum err e;

	if (!command_parse(&cmd_report, argc, argv, NULL, args, &nargs, &code))
		return code;
	edited = json_array();
	/* A run under way would be sealed half way. */
	e = rundir_lock(args[0], &lock, &why);
	if (e == ERR_OK)
		e = load(args[0], &r, &why);
	if (e == ERR_OK) {
		run_report_check_files(r, edited);
		e = run_report_write(r, &why);
	}
	if (e != ERR_OK)
		log_error("report", "%s", why.text);
	else {
		run_report_print(r);
		/* Behind the writing: they are as they should be now, and
		 * somebody had made them otherwise. */
		json_array_extend(r->problems, edited);
		run_report_say_problems(r);
	}
	code = e == ERR_OK && json_array_size(r->problems) > 0
	    ? EXIT_JUDGED
	    : (int)err_exit_code(e);
	json_decref(edited);
	run_report_free(r);
	if (lock >= 0)
		(void)close(lock);
	return e == ERR_NOTFOUND || e == ERR_EXISTS ? EXIT_USAGE : code;
}

const struct command cmd_report = { "report", &opts, run };
