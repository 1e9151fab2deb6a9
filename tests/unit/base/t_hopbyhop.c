/*
 * Which headers end at a proxy: read from whole heads, as a proxy meets them.
 */
#include "tests/unit.h"

#include "base/hopbyhop.h"
#include <stdio.h>
#include <string.h>

static const struct {
	const char *what, *headers, *name;
	bool ends;
} rows[] = {
	/* clang-format off */
	{ "by its own name",            "TE: trailers\r\n",                               "te",       true },
	{ "in any case",                "Keep-Alive: timeout=5\r\n",                      "kEEP-aLIVE", true },
	{ "an ordinary one goes on",    "X-A: 1\r\n",                                     "x-a",      false },
	{ "named by Connection",        "Connection: X-A\r\nX-A: 1\r\n",                  "x-a",      true },
	{ "named first",                "Connection: x-a, close\r\nX-A: 1\r\n",           "x-a",      true },
	{ "named last",                 "Connection: close ,\tx-a \r\nX-A: 1\r\n",        "x-a",      true },
	{ "among empty options",        "Connection: ,, x-a,,\r\nX-A: 1\r\n",             "x-a",      true },
	{ "named by a second header",   "Connection: close\r\nConnection: x-a\r\nX-A: 1\r\n", "x-a",  true },
	{ "named behind itself",        "X-A: 1\r\nConnection: x-a\r\n",                  "x-a",      true },
	{ "a longer name is another",   "Connection: x-ab\r\nX-A: 1\r\n",                 "x-a",      false },
	{ "a shorter one too",          "Connection: x\r\nX-A: 1\r\n",                    "x-a",      false },
	{ "named by another header",    "Vary: x-a\r\nX-A: 1\r\n",                        "x-a",      false },
	{ "an empty list names nobody", "Connection:\r\nX-A: 1\r\n",                      "x-a",      false },
	/* clang-format on */
};

void
t_hopbyhop(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct http1_parser p;
		struct http1_head h = { 0 };
		char text[512];
		size_t used;

		snprintf(text, sizeof text,
		    "GET / HTTP/1.1\r\nHost: h\r\n%s\r\n", rows[i].headers);
		http1_parser_init(&p, HTTP1_REQUEST, NULL);
		CHECK_INT(http1_parse(&p, text, strlen(text), &used, &h),
		    HTTP1_HEAD, rows[i].what);
		CHECK_INT(hopbyhop_ends_here(&h, slice_of(rows[i].name)),
		    rows[i].ends, rows[i].what);
	}
}
