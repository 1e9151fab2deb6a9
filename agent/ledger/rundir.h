/*
 * The run directory: who writes what is in docs/run-directory.md.
 *
 * run.json and the kernels are written whole or not at all; the trace is
 * appended line by line.  Nothing recorded is ever removed, so a run that
 * stops anywhere leaves everything it knew.
 */
#ifndef AGENT_RUNDIR_H
#define AGENT_RUNDIR_H

#include "agent/ledger/ledger.h"
#include "base/err.h"
#include "cltext/candidate.h"
#include <jansson.h>
#include <stdint.h>

/* A larger file of JSON is neither written nor read. */
#define RUNDIR_JSON_MAX ((size_t)16 * 1024 * 1024)

struct rundir;

/*
 * Makes or opens DIR and holds its lock until it is closed or the process
 * ends, however it ends.  resume false: ERR_EXISTS when it holds a run; resume
 * true: ERR_NOTFOUND when it does not.  ERR_EXISTS also when another process
 * has the lock; nothing was touched then.
 */
enum err rundir_open(const char *dir, bool resume, struct rundir **ret,
    struct why *why);
void rundir_close(struct rundir *d); /* NULL-safe */

const char *rundir_path(const struct rundir *d);
/* dir/name, owned. */
char *rundir_file(const struct rundir *d, const char *name);

/* Takes DIR's lock alone, for who rewrites what follows from a run.  *ret_fd
 * is to be closed.  ERR_EXISTS, ERR_IO. */
enum err rundir_lock(const char *dir, int *ret_fd, struct why *why);

/* Writes a JSON file: sorted keys, two spaces, a newline.  ERR_TOOBIG: over
 * what rundir_read_json takes, so nothing is written that cannot be read. */
enum err rundir_write_json(const char *dir, const char *name, json_t *value,
    struct why *why);
/* Is everything below DIR a file or a folder?  ERR_SYNTAX: there is a pipe or
 * a device, whose reading might never end; *why names it. */
enum err rundir_check_kinds(const char *dir, struct why *why);

/* ERR_NOTFOUND, ERR_SYNTAX.  *ret owned. */
enum err rundir_read_json(const char *dir, const char *name, json_t **ret,
    struct why *why);

/* kernels/OP/TRY.cl and .json; TRY is an iteration or "naive". */
enum err rundir_write_kernel(const struct rundir *d, const char *op,
    const char *try, const struct candidate *c, struct why *why);
enum err rundir_write_record(const struct rundir *d, const char *op,
    const char *try, json_t *record, struct why *why);
/* NULL when there is none. */
json_t *rundir_read_record(const char *dir, const char *op, const char *try);

/* ---- the trace: one JSON object a span */

struct rundir_span {
	const char *name;  /* "model.attempt", "lab.stage", ... */
	uint64_t parent;   /* 0: none */
	uint64_t start_us; /* monotonic */
	uint64_t end_us;
	const char *status; /* "ok", or what went wrong */
	json_t *attributes; /* taken over; may be NULL */
};

/* A number for a span whose children end before it does. */
uint64_t rundir_span_id(struct rundir *d);
/* Writes a span; id 0: takes a number of its own. */
void rundir_trace(struct rundir *d, uint64_t id,
    const struct rundir_span *span);

/* No more spans: the file is whole.  What comes later is dropped. */
void rundir_end_trace(struct rundir *d);

#endif
