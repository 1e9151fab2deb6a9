/*
 * kf-chaos verify LOG: proves that no line of an event log was removed,
 * reordered or edited, and prints the run hash.
 */
#include "chaos/commands.h"

#include <stdio.h>

#include "base/chained_journal.h"
#include "base/err.h"

static const struct opt_command command = {
	.name = "kf-chaos verify",
	.usage = "LOG",
	.about = "Checks the hash chain of an event log and prints its run "
	         "hash: exit 0 when it is whole and closed, 1 with the first "
	         "bad line when it is not.",
	.args_min = 1,
	.args_max = 1,
	.examples = "kf-chaos verify chaos.jsonl\t"
	            "is the chain whole?\n",
};

static void
count(json_t *line, void *arg)
{
	(void)line;
	++*(size_t *)arg;
}

static int
run_verify(int argc, char **argv)
{
	const char *args[1];
	size_t nargs = 0, lines = 0;
	struct journal_facts facts;
	struct why why = { "" };
	enum err e;
	int code;

	if (!command_parse(&cmd_verify, argc, argv, NULL, args, &nargs, &code))
		return code;
	e = journal_check(args[0], count, &lines, &facts, &why);
	if (e == ERR_OK && !facts.closed)
		e = why_set(&why, ERR_SYNTAX,
		    "%s: not closed after %zu lines: it is still being "
		    "written, its writer was killed or could write no more, "
		    "or lines were removed from its end",
		    args[0], lines);
	if (e != ERR_OK) {
		(void)command_end(&cmd_verify, e, &why);
		return e == ERR_SYNTAX ? EXIT_JUDGED : EXIT_USAGE;
	}
	printf("%zu lines, chain whole\nrun_hash %s\n", lines, facts.set_hash);
	return EXIT_DONE;
}

const struct command cmd_verify = { "verify", &command, run_verify };
