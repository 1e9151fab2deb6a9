/* kernelforge report: everything derived from a run directory, once more. */
#include "agent/command.h"
#include "agent/report.h"
#include "base/log.h"

static const struct opt_command opts = {
	.name = "kernelforge report",
	.usage = "DIR",
	.about = "completes run.json and renders scorecard, summary and page "
	         "again",
	.args_min = 1,
	.args_max = 1,
};

static int
run(int argc, char **argv)
{
	const char *args[1];
	struct report *r = NULL;
	struct why why;
	size_t nargs;
	int code;
	enum err e;

	if (!command_parse(&cmd_report, argc, argv, NULL, args, &nargs, &code))
		return code;
	e = report_load(args[0], &r, &why);
	if (e == ERR_OK)
		e = report_write(r, &why);
	if (e != ERR_OK)
		log_error("report", "%s", why.text);
	else
		report_print(r);
	code = e == ERR_OK && !r->ledger_chain.sound && r->ledger_chain.present
	    ? EXIT_JUDGED
	    : (int)err_exit_code(e);
	report_free(r);
	return e == ERR_NOTFOUND ? EXIT_USAGE : code;
}

const struct command cmd_report = { "report", &opts, run };
