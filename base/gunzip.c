/*
 * zlib tells gzip from deflate itself.  Members may follow each other (RFC
 * 1952, 2.2) and are one text; what follows the end and is none is left out,
 * as gzip does.
 */
#define ZLIB_CONST /* its next_in is const then */
#include "base/gunzip.h"

#include "base/mem.h"
#include <stdlib.h>
#include <zlib.h>

#define OUT_BYTES     16384
#define EITHER_FORMAT 32 /* of inflateInit2: gzip or zlib, by the header */

#define GZIP_MAGIC 0x1f /* the first byte of a member */

struct gunzip {
	z_stream z;
	bool is_over; /* a member has ended, and no other has begun */
	bool is_junk; /* what came behind it is no member */
	bool is_fed;
};

struct gunzip *
gunzip_new(struct slice encoding)
{
	struct gunzip *g;

	if (!slice_is_nocase(encoding, "gzip") &&
	    !slice_is_nocase(encoding, "x-gzip") &&
	    !slice_is_nocase(encoding, "deflate"))
		return NULL;
	g = xcalloc(1, sizeof *g);
	if (inflateInit2(&g->z, MAX_WBITS + EITHER_FORMAT) != Z_OK) {
		free(g);
		return NULL;
	}
	return g;
}

void
gunzip_free(struct gunzip *g)
{
	if (!g)
		return;
	inflateEnd(&g->z);
	free(g);
}

/* Has what comes next something to give?  Another member begins anew. */
static bool
is_inside(struct gunzip *g)
{
	if (!g->is_over)
		return true;
	if (g->is_junk || g->z.avail_in == 0)
		return false;
	g->is_junk = *g->z.next_in != GZIP_MAGIC || inflateReset(&g->z) != Z_OK;
	g->is_over = g->is_junk;
	return !g->is_junk;
}

enum err
gunzip_feed(struct gunzip *g, const char *p, size_t n, struct buf *out)
{
	unsigned char piece[OUT_BYTES];
	enum err e;
	int rc;

	g->z.next_in = (const unsigned char *)p;
	g->z.avail_in = (uInt)n;
	g->is_fed |= n > 0;
	while (is_inside(g)) {
		g->z.next_out = piece;
		g->z.avail_out = sizeof piece;
		rc = inflate(&g->z, Z_SYNC_FLUSH);
		if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
			return ERR_SYNTAX;
		g->is_over = rc == Z_STREAM_END;
		e = buf_add(out, piece, sizeof piece - g->z.avail_out);
		if (e != ERR_OK)
			return e;
		if (!g->is_over && g->z.avail_out > 0)
			break;
	}
	return ERR_OK;
}

bool
gunzip_is_whole(const struct gunzip *g)
{
	return g->is_over || !g->is_fed;
}
