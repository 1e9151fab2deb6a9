/*
 * Command lines by table: parse, check, --help and the man page all walk the
 * same rows.
 *
 * Options are long ("--out DIR", "--out=DIR"); flags take no value.  "--"
 * ends them; other words are positional.  Built in: --help and -h, --version,
 * and --man, which prints the manual page as roff for who packages us.
 */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum opt_type {
	OPT_FLAG,   /* bool */
	OPT_STRING, /* const char *, borrowed from argv */
	OPT_INT,    /* int64_t within min..max */
	OPT_LIST,   /* struct opt_list: may be given again and again */
};

#define OPT_LIST_MAX 32

struct opt_list {
	const char *items[OPT_LIST_MAX]; /* borrowed from argv */
	size_t n;
};

struct opt {
	const char *name; /* without the dashes */
	enum opt_type type;
	size_t offset;     /* into the destination struct */
	int64_t min, max;  /* OPT_INT */
	const char *value; /* "DIR": what stands for the value in --help */
	const char *help;  /* one sentence; says the default */
};

/* One command of a program, or the program itself. */
struct opt_command {
	const char *name;  /* "kernelforge verify" */
	const char *usage; /* "OP FILE": the positional words */
	const char *about; /* what it does, a sentence or a paragraph */
	const struct opt *rows;
	size_t nrows;
	size_t args_min, args_max; /* positional words */
	const char *examples;      /* lines "COMMAND\tWHAT IT DOES"; or NULL */
};

/*
 * Parses argv[1..] into dst (defaults filled in by the caller).  Positional
 * words end up in args, *ret_nargs of them (args holds cmd->args_max).
 * ERR_OK: go on.  ERR_STATE: --help, --man or --version was printed, exit 0.
 * ERR_SYNTAX: the reason is in *why, exit 2; it names the command only where
 * it says whose --help to read, so that the caller may say who speaks.  The
 * environment's secrets are known from here on (mask.h).
 */
enum err opts_parse(const struct opt_command *cmd, int argc, char **argv,
    void *dst, const char **args, size_t *ret_nargs, struct why *why);

/*
 * What a line gives that option, a line with a fault too: for who must know a
 * value (a file that holds keys) before the fault is told.  NULL: nothing.
 */
const char *opts_value(const struct opt_command *cmd, int argc, char **argv,
    const char *name);

/* What --help and --man print.  Help is wrapped to the terminal's width, or
 * to COLUMNS, or to 80; a manual page is roff of the man macros. */
void opts_print_help(const struct opt_command *cmd, FILE *out);
/* A paragraph of it, wrapped so. */
void opts_print_text(const char *text, FILE *out);
/* One row of a list of commands: name and usage, then the first sentence. */
void opts_print_row(const char *name, const char *usage, const char *about,
    FILE *out);
void opts_print_man(const struct opt_command *cmd, FILE *out);

/* The project's version, "MAJOR.MINOR.PATCH"; it is set in opts.c alone. */
const char *opts_version(void);

#endif
