/*
 * Bytes that came gzipped (or as zlib's deflate), as they come: an answer of
 * an upstream that compresses though nobody asked it to.
 */
#ifndef BASE_GUNZIP_H
#define BASE_GUNZIP_H

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>

struct gunzip;

/* By a Content-Encoding; NULL: it is none of these. */
struct gunzip *gunzip_new(struct slice encoding);
void gunzip_free(struct gunzip *g); /* NULL-safe */

/*
 * Appends what n more bytes give to out.  ERR_SYNTAX: they are not gzip.
 * ERR_TOOBIG: more than out takes, as a few bytes may stand for very many.
 */
enum err gunzip_feed(struct gunzip *g, const char *p, size_t n,
    struct buf *out);
/* Did the last member end, with its checksum?  No bytes at all are whole. */
bool gunzip_is_whole(const struct gunzip *g);

#endif
