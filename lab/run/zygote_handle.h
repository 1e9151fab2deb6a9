/*
 * The zygote: a process with a warm OpenCL compiler that forks the lab's
 * children.
 *
 * It is the program executed anew, so that nothing of what the program knows
 * (keys, seeds, expected values) is in its memory or environment; it opens the
 * device, and then serves two requests: fork a child into a work folder, and
 * collect one that ended.  A child forked from it builds in about 90 ms what a
 * cold process builds in 460 ms.  The zygote never runs candidate code; when
 * the program goes away, in whatever way, it kills its children, removes the
 * scratch folder and ends.
 */
#ifndef LAB_ZYGOTE_HANDLE_H
#define LAB_ZYGOTE_HANDLE_H

#include "base/err.h"
#include "lab/run/child_process.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct zygote;

enum zygote_kind {
	ZYGOTE_DEVICE, /* opens a device; forks children and executes tools */
	ZYGOTE_TIMING, /* the same, but compiles as everybody has it: device.h */
	ZYGOTE_TOOLS,  /* small and at once ready; only executes tools */
};

/* A program to be executed for us. */
struct zygote_exec {
	const char *dir;         /* where it works; must exist */
	const char *const *args; /* the program's path first, then NULL */
	uint32_t cpu_s;
	uint64_t file_bytes; /* no file it writes may be larger */
	int output;          /* its standard output and error */
};

/*
 * match: see device_open(); scratch: an existing folder that the zygote
 * removes in the end; both borrowed for the call.
 * ERR_ENV: no device.
 */
enum err zygote_start(enum zygote_kind kind, const char *match,
    const char *scratch, struct zygote **ret, struct why *why);
/*
 * Another one of the same device, forked from one that is warm: the compiler's
 * some 100 MB are held once, as long as neither writes to them, and read once.
 * Waits until from is warm; lives on when from ends.  ERR_IO: from is gone, or
 * the system has no handle for a process that is no child of ours.
 */
enum err zygote_start_twin(struct zygote *from, const char *scratch,
    struct zygote **ret, struct why *why);
/* Kills what runs and removes the scratch folder; NULL-safe. */
void zygote_stop(struct zygote *z);

/* How long a request and its reply may take: 60 s, unless told otherwise.
 * A zygote that misses it once is lost: every later request fails. */
void zygote_set_reply_ms(struct zygote *z, int ms);

const char *zygote_device(const struct zygote *z); /* "PLATFORM / DEVICE" */
uint32_t zygote_features(const struct zygote *z);  /* enum sandbox_feature */

/*
 * Forks a child that works in folder dir (which must exist), as the leader of
 * a process group of its own.  The descriptors are copied; the caller keeps
 * its own.  ERR_IO: the zygote is gone or could not fork.
 */
enum err zygote_spawn(struct zygote *z, const char *dir,
    const struct child_fds *fds, pid_t *ret, struct why *why);

/* The same for a foreign program, in a sandbox: see sandbox_for_tool().
 * ERR_TOOBIG: too many words. */
enum err zygote_execute(struct zygote *z, const struct zygote_exec *x,
    pid_t *ret, struct why *why);

/*
 * Kills the child's whole process group and collects it; nothing that it
 * started is left.  Returns its wait status, or -1 when the zygote is gone.
 */
int zygote_kill(struct zygote *z, pid_t pid);
/*
 * The same without waiting for it: the group is killed at once; before
 * the zygote does anything else, or ends, it collects it and removes dir with
 * all that is in it.  pid 0, dir NULL: there is none.
 */
void zygote_discard(struct zygote *z, pid_t pid, const char *dir);

#endif
