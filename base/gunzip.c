/* zlib tells gzip from deflate itself; what follows the end is left out. */
#define ZLIB_CONST /* its next_in is const then */
#include "base/gunzip.h"

#include "base/mem.h"
#include <stdlib.h>
#include <zlib.h>

#define OUT_BYTES     16384
#define EITHER_FORMAT 32 /* of inflateInit2: gzip or zlib, by the header */

struct gunzip {
	z_stream z;
	bool is_over;
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

enum err
gunzip_feed(struct gunzip *g, const char *p, size_t n, struct buf *out)
{
	unsigned char piece[OUT_BYTES];
	enum err e;
	int rc;

	g->z.next_in = (const unsigned char *)p;
	g->z.avail_in = (uInt)n;
	while (!g->is_over) {
		g->z.next_out = piece;
		g->z.avail_out = sizeof piece;
		rc = inflate(&g->z, Z_SYNC_FLUSH);
		if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
			return ERR_SYNTAX;
		g->is_over = rc == Z_STREAM_END;
		e = buf_add(out, piece, sizeof piece - g->z.avail_out);
		if (e != ERR_OK)
			return e;
		if (g->z.avail_out > 0)
			break;
	}
	return ERR_OK;
}
