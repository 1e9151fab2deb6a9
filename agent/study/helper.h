/*
 * A program of ours started as a helper: it says `ready NAME=HOST:PORT ...`
 * on its output, works, and ends when it is told to, or with us.
 */
#ifndef AGENT_HELPER_H
#define AGENT_HELPER_H

#include "base/err.h"
#include <sys/types.h>

#define HELPER_ARGS_MAX  24
#define HELPER_READY_MAX 512

struct helper_plan {
	const char *program;               /* its name, beside our own file */
	const char *args[HELPER_ARGS_MAX]; /* behind the name; NULL ends them */
	const char *log;                   /* where its errors go */
	const char *env;                   /* "NAME=VALUE" or NULL */
};

struct helper {
	pid_t pid;
	char ready[HELPER_READY_MAX]; /* the line, without its end */
};

/* Starts it and waits until it is ready.  ERR_ENV: it did not come up. */
enum err helper_start(const struct helper_plan *p, struct helper *ret,
    struct why *why);
void helper_stop(struct helper *h); /* SIGTERM, and waits; twice is fine */
/* "HOST:PORT" of that name in the ready line; "" when it is not there. */
void helper_address(const struct helper *h, const char *name, char *out,
    size_t size);

/* Runs it to its end.  ERR_ENV: it could not be started, or a signal ended it;
 * else *ret_code is its exit code. */
enum err helper_run(const struct helper_plan *p, int *ret_code,
    struct why *why);

#endif
