/*
 * WebSocket frames: what is read of each, what is refused, however cut.
 */
#include "chaos/http/wsframe.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 256

void t_wsframe(void);

/* clang-format off */
static const struct {
	const char *what, *bytes;
	size_t n;
	const char *want;	/* opcode/bytes#message, "." at a frame's end */
} rows[] = {
	{ "a text",                   "\x81\x02hi", 4, "1/2#1." },
	{ "an empty one",             "\x81\x00", 2, "1/0#1." },
	{ "masked",                   "\x81\x82" "abcd" "hi", 8, "1/2#1." },
	{ "16 bits of length",        "\x82\x7e\x00\x01x", 5, "2/1#1." },
	{ "64 bits of length",        "\x82\x7f\0\0\0\0\0\0\0\x01x", 11, "2/1#1." },
	{ "fragments and a ping",     "\x01\x01" "a\x89\x00\x80\x01z\x81\x00", 10, "1/1#1.9/0#1.0/1#1.1/0#2." },
	{ "a close",                  "\x88\x02\x03\xe8", 4, "8/2#0." },
	{ "half a head",              "\x81", 1, "" },
	{ "half a payload",           "\x81\x04hi", 4, "1/4#1" },
	{ "a reserved opcode",        "\x83\x00", 2, "bad" },
	{ "a reserved control",       "\x8b\x00", 2, "bad" },
	{ "a ping in fragments",      "\x09\x00", 2, "bad" },
	{ "a ping too long",          "\x89\x7e\x00\x7e", 4, "bad" },
	{ "a length of 2^63",         "\x82\x7f\x80\0\0\0\0\0\0\0", 10, "bad" },
	{ "a continuation of nothing","\x80\x00", 2, "bad" },
	{ "a message in a message",   "\x01\x00\x81\x00", 4, "1/0#1.bad" },
};
/* clang-format on */

static void
read_all(const char *bytes, size_t n, size_t step, char out[TEXT_BYTES])
{
	struct wsframe_reader r;
	enum wsframe_event ev = WSFRAME_MORE;
	size_t at = 0, used, len = 0;

	wsframe_init(&r);
	out[0] = '\0';
	for (size_t end = 0; end < n && ev != WSFRAME_BAD;) {
		end = end + step < n ? end + step : n;
		do {
			ev = wsframe_next(&r, (const unsigned char *)bytes + at,
			    end - at, &used);
			at += used;
			if (ev == WSFRAME_HEAD)
				len += (size_t)snprintf(out + len,
				    TEXT_BYTES - len, "%d/%d#%d", (int)r.opcode,
				    (int)r.bytes, (int)r.message);
			else if (ev == WSFRAME_END || ev == WSFRAME_BAD)
				len += (size_t)snprintf(out + len,
				    TEXT_BYTES - len, "%s",
				    ev == WSFRAME_END ? "." : "bad");
		} while (ev != WSFRAME_MORE && ev != WSFRAME_BAD);
	}
}

void
t_wsframe(void)
{
	char out[TEXT_BYTES];
	struct wsframe_reader r = { .head = "\x81\x82"
		                            "abcd",
		.head_n = 6,
		.is_masked = true };

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t step = 1; step <= rows[i].n; step++) {
			read_all(rows[i].bytes, rows[i].n, step, out);
			CHECK_STR(out, rows[i].want, rows[i].what);
		}
	CHECK_INT(wsframe_mask(&r, 'x', 5), 'x' ^ 'b', "byte 5 by mask 1");
	r.is_masked = false;
	CHECK_INT(wsframe_mask(&r, 'x', 5), 'x', "without a mask");
}
