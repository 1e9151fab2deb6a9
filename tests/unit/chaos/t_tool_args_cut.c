/*
 * Arguments of a tool call, cut, spoilt or repaired, in pieces of any size.
 */
#include "chaos/text/tool_args_cut.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit.h"

static const struct {
	const char *what, *in;
	enum args_kind kind;
	uint64_t keep;
	const char *want;
} rows[] = {
	{ "cut early", "{\"a\":\"bcd\"}", ARGS_CUT, 3, "{\"a" },
	{ "cut at the last brace", "{\"a\":{\"b\":1}}", ARGS_CUT, 99,
	    "{\"a\":{\"b\":1}" },
	{ "a brace in a string is none", "{\"a\":\"}\"}", ARGS_CUT, 99,
	    "{\"a\":\"}\"" },
	{ "never inside a character", "{\"a\":\"\xc3\xbc!\"}", ARGS_CUT, 7,
	    "{\"a\":\"\xc3\xbc" },
	{ "a comma", "{\"a\":{}}", ARGS_INVALID, 0, "{,\"a\":{}}" },
	{ "no brace, no comma", "[1]", ARGS_INVALID, 0, "[1]" },
	{ "repaired", "{\"a\":\"Paris, France\",\"b\":2}", ARGS_REPAIRED, 8,
	    "{\"a\":\"Pa\"}" },
	{ "repaired deep", "{\"a\":[{\"b\":\"xyz\"}]}", ARGS_REPAIRED, 14,
	    "{\"a\":[{\"b\":\"xy\"}]}" },
	{ "not in a key", "{\"key\":\"v\"}", ARGS_REPAIRED, 2,
	    "{\"key\":\"\"}" },
	{ "not after a backslash", "{\"a\":\"x\\ny\"}", ARGS_REPAIRED, 8,
	    "{\"a\":\"x\\n\"}" },
	{ "nothing to repair", "{\"a\":1}", ARGS_REPAIRED, 0, "{\"a\":1}" },
};

static void
check_row(size_t i, size_t piece)
{
	struct argscut a = { 0 };
	struct slice in = slice_of(rows[i].in);
	bool is_changed = false;
	struct buf out;

	buf_init(&out, 1000);
	for (size_t at = 0; at < in.n; at += piece) {
		size_t n = in.n - at < piece ? in.n - at : piece;

		is_changed |= argscut_feed(&a, rows[i].kind, rows[i].keep,
		    (struct slice){ in.p + at, n }, &out);
	}
	buf_addc(&out, '\0');
	CHECK_STR(out.data, rows[i].want, rows[i].what);
	CHECK(is_changed == (strcmp(rows[i].in, rows[i].want) != 0),
	    rows[i].what);
	buf_done(&out);
}

void
t_tool_args_cut(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t piece = 1; piece < 40; piece += 4)
			check_row(i, piece);
}
