/*
 * The decision log: one JSON line a request, appended to a file.
 *
 * Lines are collected and written a few milliseconds later in one go, so
 * that the file costs a request nothing; when the file cannot keep up they
 * are dropped and counted, never waited for.
 */
#ifndef GATEWAY_DECLOG_H
#define GATEWAY_DECLOG_H

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"

struct declog;

/* path NULL: a log that takes lines and keeps none. */
enum err declog_open(struct loop *l, const char *path, struct declog **ret,
    struct why *why);
void declog_close(struct declog *d); /* writes what waits; NULL-safe */

/* Appends the line and a newline. */
void declog_line(struct declog *d, const struct buf *line);
enum err declog_reopen(struct declog *d, struct why *why); /* after rotation */
uint64_t declog_dropped(const struct declog *d);

#endif
