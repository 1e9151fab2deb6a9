/*
 * A stream of lines (NDJSON), cut as base/sse.h cuts events: each line is an
 * item with its exact bytes.  The limit holds however the bytes came.
 */
#ifndef CHAOS_LINES_H
#define CHAOS_LINES_H

#include "base/buf.h"
#include "base/sse.h"

struct lines;

struct lines *lines_new(size_t max_bytes);
void lines_free(struct lines *l); /* NULL-safe */

/* As sse_feed(); data is the line without its end. */
enum err lines_feed(struct lines *l, const char *p, size_t n,
    bool (*on_item)(const struct sse_item *item, void *arg), void *arg);
struct slice lines_pending(const struct lines *l);

#endif
