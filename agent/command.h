/*
 * The commands of kernelforge: one file cmd_NAME.c each, one row in main.c.
 */
#ifndef AGENT_COMMAND_H
#define AGENT_COMMAND_H

#include "base/opts.h"

struct command {
	const char *name; /* as typed */
	const struct opt_command *opts;
	/* argv[0] is the command's name.  Returns the exit code. */
	int (*run)(int argc, char **argv);
};

extern const struct command cmd_bench, cmd_doctor, cmd_ledger, cmd_mutants,
    cmd_ops, cmd_report, cmd_run, cmd_verify;

/*
 * Parses a command's line.  True: go on.  False: *ret_code is the exit code
 * (help was printed, or the reason was).
 */
bool command_parse(const struct command *c, int argc, char **argv, void *dst,
    const char **args, size_t *ret_nargs, int *ret_code);

#endif
