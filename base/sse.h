/*
 * Server-sent events: an incremental parser and a writer.  No I/O.
 *
 * The parser takes bytes cut anywhere (inside a UTF-8 sequence, between CR
 * and LF) and yields events; it also yields comments and blank keep-alives,
 * because whoever times a stream must tell them from progress.  Each item
 * carries its raw bytes, so that a proxy can pass it on unchanged.
 */
#ifndef BASE_SSE_H
#define BASE_SSE_H

#include "base/buf.h"
#include "base/slice.h"

enum sse_kind {
	SSE_EVENT,   /* has data */
	SSE_COMMENT, /* ": ..." block without data */
	SSE_BLANK,   /* an empty block */
};

struct sse_item {
	enum sse_kind kind;
	struct slice event; /* "event:" field, empty when absent */
	struct slice data;  /* data lines joined by LF */
	struct slice raw;   /* exact bytes, blank line included */
};

struct sse_parser;

/* A block longer than max_bytes is an error. */
struct sse_parser *sse_parser_new(size_t max_bytes);
void sse_parser_free(struct sse_parser *p);

/*
 * Feeds bytes and calls on_item for each finished block, in order; its
 * slices live only during the call.  on_item returning false stops feeding
 * (the rest is dropped).  ERR_TOOBIG for an oversized block.
 */
enum err sse_feed(struct sse_parser *p, const char *bytes, size_t n,
    bool (*on_item)(const struct sse_item *item, void *arg), void *arg);

/* Bytes of an unfinished block (for "the stream ended in mid-event"). */
struct slice sse_pending(const struct sse_parser *p);

/* Appends "data: TEXT\n\n" (a "data:" line for every LF in text). */
enum err sse_write(struct buf *b, const char *text, size_t n);

/*
 * Appends the block `raw` with TEXT as its data, and all else that it says as
 * it stands: other fields, comments, line ends.  A text of several lines gets
 * a "data:" line for each.
 */
enum err sse_retell(struct buf *b, struct slice raw, struct slice text);

#define SSE_DONE "[DONE]"

#endif
