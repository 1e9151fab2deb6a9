/*
 * A program of ours started beside us: it says `ready NAME=HOST:PORT ...`
 * on its output, works, and ends when it is told to, or with us.
 */
#ifndef AGENT_CHILD_PROGRAM_H
#define AGENT_CHILD_PROGRAM_H

#include "base/err.h"
#include <sys/types.h>

#define CHILD_PROGRAM_ARGS_MAX  24
#define CHILD_PROGRAM_READY_MAX 512

struct child_program_plan {
	const char *program; /* its name, beside our own file */
	const char
	    *args[CHILD_PROGRAM_ARGS_MAX]; /* behind the name; NULL ends them */
	const char *log;                   /* where its errors go */
	const char *env;                   /* "NAME=VALUE" or NULL */
};

struct child_program {
	pid_t pid;
	char ready[CHILD_PROGRAM_READY_MAX]; /* the line, without its end */
};

/* Starts it and waits until it is ready.  ERR_ENV: it did not come up. */
enum err child_program_start(const struct child_program_plan *p,
    struct child_program *ret, struct why *why);
void child_program_stop(
    struct child_program *h); /* SIGTERM, and waits; twice is fine */
/* "HOST:PORT" of that name in the ready line; "" when it is not there. */
void child_program_address(const struct child_program *h, const char *name,
    char *out, size_t size);

/* Runs it to its end.  ERR_ENV: it could not be started, or a signal ended it;
 * else *ret_code is its exit code. */
enum err child_program_run(const struct child_program_plan *p, int *ret_code,
    struct why *why);

#endif
