/*
 * A program of several commands: the table of them, --help that lists them,
 * and the hand-over.  A command is a file cmd_NAME.c that ends with its row,
 * and a pointer to that row in its program's table, sorted by name.
 */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include "base/opts.h"

struct command {
	const char *name; /* as typed; "" for the program's own */
	const struct opt_command *opts;
	/* argv[0] is the command's name.  Returns the exit code. */
	int (*run)(int argc, char **argv);
};

struct program {
	const char *name;
	const char *about; /* shown where a command word is a must */
	const struct command *const *commands;
	size_t ncommands;
	const struct command *alone; /* without a word; NULL: one is a must */
};

/*
 * Runs what argv names and returns the exit code.  --help, --version and
 * --commands (the names, a line each, for scripts that make manual pages and
 * completions) are answered here, unless the program runs alone and the words
 * are for it.  Broken pipes are errors of write(2) from here on.
 */
int program_main(const struct program *p, int argc, char **argv);

/*
 * Parses a command's line.  True: go on.  False: *ret_code is the exit code
 * (help was printed, or the reason was).
 */
bool command_parse(const struct command *c, int argc, char **argv, void *dst,
    const char **args, size_t *ret_nargs, int *ret_code);

/* How a command ends: says why unless e is ERR_OK, and returns the exit code
 * that goes with e. */
int command_end(const struct command *c, enum err e, const struct why *why);

#endif
