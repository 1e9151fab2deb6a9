/*
 * A stream of lines (NDJSON), cut as base/sse.h cuts events: each line is an
 * item with its exact bytes.  The limit holds however the bytes came.
 */
#ifndef CHAOS_NDJSON_LINES_H
#define CHAOS_NDJSON_LINES_H

#include "base/buf.h"
#include "base/sse.h"

struct ndjson_lines;

struct ndjson_lines *ndjson_lines_new(size_t max_bytes);
void ndjson_lines_free(struct ndjson_lines *l); /* NULL-safe */

/* As sse_feed(); data is the line without its end. */
enum err ndjson_lines_feed(struct ndjson_lines *l, const char *p, size_t n,
    bool (*on_item)(const struct sse_item *item, void *arg), void *arg);
struct slice ndjson_lines_pending(const struct ndjson_lines *l);

#endif
