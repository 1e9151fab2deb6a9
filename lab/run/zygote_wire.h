/*
 * What the program and its zygote say to each other, one packet each way.
 * Private to zygote_handle.c (the program's side) and zygote_process.c (the
 * process). Both are forked from one program, so they trust each other's
 * packets.
 */
#ifndef LAB_ZYGOTE_WIRE_H
#define LAB_ZYGOTE_WIRE_H

#include "base/err.h"
#include "lab/run/zygote_handle.h"
#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#define ZYGOTE_NFDS 3 /* struct child_fds, as SCM_RIGHTS of a spawn */

#define ZYGOTE_ARGS_MAX   32
#define ZYGOTE_ARGS_BYTES 2048

enum request_kind {
	REQUEST_SPAWN = 1,
	REQUEST_COLLECT = 2,
	REQUEST_EXEC = 3,
	REQUEST_DISCARD = 4, /* has no reply */
	REQUEST_TWIN = 5,    /* dir: its scratch; descriptors: its wire */
};

struct zygote_request {
	uint32_t kind;
	uint32_t serial;
	pid_t pid;
	char dir[PATH_MAX];
	/* REQUEST_EXEC: NUL-terminated words, the program's path first. */
	uint32_t nargs, cpu_s;
	uint64_t file_bytes;
	char args[ZYGOTE_ARGS_BYTES];
};

struct zygote_reply {
	uint32_t serial; /* the request's */
	int32_t error;   /* an errno, or 0 */
	pid_t pid;
	int32_t wait_status;
};

/* The first packet up. */
struct zygote_hello {
	uint32_t ok;
	uint32_t features;
	char text[WHY_MAX]; /* device name, or the reason */
};

/* What a zygote is started for. */
struct zygote_start {
	enum zygote_kind kind;
	const char *match; /* may be NULL */
	const char *scratch;
};

/*
 * In the forked process, whose end of the wire fd is: becomes this program
 * anew, which never comes to main().  Calls nothing that a fork in a
 * program with threads must not call.
 */
_Noreturn void zygote_execute_self(int fd, const struct zygote_start *s);

#endif
