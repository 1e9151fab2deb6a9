/* Compressed answers: whole, a byte at a time, in members, cut, forged, and a
 * bomb. */
#include "base/gunzip.h"

#include "base/log.h"
#include "tests/unit.h"
#include <string.h>
#include <zlib.h>

#define BOMB_BYTES ((size_t)1 << 20)
#define ROOM       65536

static unsigned char packed[ROOM];

static size_t
pack(const void *p, size_t n, bool is_gzip)
{
	z_stream z = { .avail_in = (uInt)n,
		.next_out = packed,
		.avail_out = sizeof packed };

	memcpy(&z.next_in, &p, sizeof p); /* it is not const there */
	if (deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + (is_gzip ? 16 : 0), 8,
	        Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		fatalx("cannot deflate");
	deflateEnd(&z);
	return sizeof packed - z.avail_out;
}

static bool was_whole; /* the last that was unpacked */

static enum err
unpack(size_t n, size_t step, struct buf *out)
{
	struct gunzip *g = gunzip_new(slice_of("gzip"));
	enum err e = ERR_OK;

	for (size_t i = 0; i < n && e == ERR_OK; i += step)
		e = gunzip_feed(g, (const char *)packed + i,
		    n - i < step ? n - i : step, out);
	was_whole = gunzip_is_whole(g);
	gunzip_free(g);
	return e;
}

static void
reads(const char *what, size_t n, size_t step, const char *want)
{
	struct buf out;

	buf_init(&out, ROOM);
	CHECK_INT(unpack(n, step, &out), ERR_OK, what);
	CHECK(was_whole, what);
	CHECK(slice_is((struct slice){ out.data, out.len }, want), what);
	buf_done(&out);
}

void t_gunzip(void);

void
t_gunzip(void)
{
	static const char text[] = "data: {\"choices\":[]}\n\n";
	static char zeros[BOMB_BYTES];
	struct buf out;
	size_t n;

	CHECK(!gunzip_new(slice_of("br")), "another encoding");
	n = pack(text, sizeof text - 1, false);
	reads("deflate", n, n, text);
	n = pack(text, sizeof text - 1, true);
	reads("gzip", n, n, text);
	reads("a byte at a time", n, 1, text);
	memset(packed + n, 'x', 4);
	reads("what follows its end is nothing", n + 4, n + 4, text);

	memcpy(packed + n, packed, n);
	reads("two members", 2 * n, 2 * n,
	    "data: {\"choices\":[]}\n\ndata: {\"choices\":[]}\n\n");
	reads("two, a byte at a time", 2 * n, 1,
	    "data: {\"choices\":[]}\n\ndata: {\"choices\":[]}\n\n");

	buf_init(&out, ROOM);
	for (size_t cut = 1; cut < 2 * n; cut++) {
		buf_clear(&out);
		CHECK_INT(unpack(cut, cut, &out), ERR_OK, "what is cut");
		CHECK(was_whole == (cut == n), "is not whole");
	}
	buf_clear(&out);
	CHECK_INT(unpack(0, 1, &out), ERR_OK, "nothing");
	CHECK(was_whole, "is whole");
	packed[n - 6] ^= 1;
	CHECK_INT(unpack(n, n, &out), ERR_SYNTAX, "a checksum that is not so");
	buf_clear(&out);
	memset(packed, '{', 11);
	CHECK_INT(unpack(11, 11, &out), ERR_SYNTAX, "no gzip at all");
	n = pack(zeros, sizeof zeros, true);
	CHECK_INT(unpack(n, n, &out), ERR_TOOBIG, "a bomb");
	CHECK(out.len <= ROOM, "has no more than the room");
	buf_done(&out);
}
