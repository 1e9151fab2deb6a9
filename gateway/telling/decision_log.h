/*
 * The decision log: one JSON line a request, appended to a file.
 *
 * Lines are collected and written a few milliseconds later in one go, so
 * that the file costs a request nothing; when the file cannot keep up they
 * are dropped and counted, never waited for.
 */
#ifndef GATEWAY_DECISION_LOG_H
#define GATEWAY_DECISION_LOG_H

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"

struct decision_log;

/* path NULL: a log that takes lines and keeps none. */
enum err decision_log_open(struct loop *l, const char *path,
    struct decision_log **ret, struct why *why);
void decision_log_close(
    struct decision_log *d); /* writes what waits; NULL-safe */

/* Appends the line and a newline. */
void decision_log_line(struct decision_log *d, const struct buf *line);
enum err decision_log_reopen(struct decision_log *d,
    struct why *why); /* after rotation */
uint64_t decision_log_dropped(const struct decision_log *d);

#endif
