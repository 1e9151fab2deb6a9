/*
 * Foreign programs that read hostile text for us: clang and Oclgrind.
 *
 * Each runs in a sandboxed child with a folder of its own, where its input
 * lies and its results are left, under limits of processor time, of file
 * sizes and of what it may say; several run side by side.  Nothing that a
 * tool says is believed further than its text goes.
 */
#ifndef LAB_TOOL_PROCESS_H
#define LAB_TOOL_PROCESS_H

#include "base/err.h"
#include "lab/run/zygote_handle.h"

/* A program's path for good, links resolved; owned.  NULL: not in PATH. */
char *tool_find(const char *name);

struct tool_file {
	const char *name, *text;
};

struct tool_job {
	const char *const *args;   /* the program's path first, then NULL */
	struct tool_file files[2]; /* written into its folder; a NULL name
	                              ends them */
	uint32_t cpu_s;
	uint32_t deadline_ms; /* by the clock: for one that sleeps */
	size_t file_max;      /* no file it writes may be larger */
	uint64_t files_max;   /* nor all of them together */
	size_t says_max;      /* of standard output and error together */
};

enum tool_end {
	TOOL_ENDED,   /* by itself; status is its exit status */
	TOOL_DIED,    /* of a signal, the limits' included; status is it */
	TOOL_TIMEOUT, /* the deadline passed; it was killed */
	TOOL_FLOOD,   /* it said more than says_max, or its files passed
	               * files_max; it was killed */
};

struct tool;

/* scratch: where the folder is made.  ERR_IO: it could not be started. */
enum err tool_start(struct zygote *z, const char *scratch,
    const struct tool_job *job, struct tool **ret, struct why *why);

/* Waits for its end; *ret_says (owned by t) is what it said. */
enum tool_end tool_await(struct tool *t, int *ret_status,
    const char **ret_says);

/* A file that it left behind, owned; NULL: none, or larger than max. */
char *tool_read(const struct tool *t, const char *name, size_t max);

/* Kills it, if need be, and removes its folder; NULL-safe. */
void tool_stop(struct tool *t);

#endif
