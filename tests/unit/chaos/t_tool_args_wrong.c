/*
 * Arguments that stay JSON of the same shape and say something else, whole and
 * cut anywhere.
 */
#include "chaos/text/tool_args_wrong.h"

#include <string.h>

#include "base/units.h"
#include "tests/unit.h"

void t_tool_args_wrong(void);

void
t_tool_args_wrong(void)
{
	static const struct {
		const char *was, *is;
	} rows[] = {
		{ "{\"city\":\"Paris\",\"days\":3}",
		    "{\"city\":\"Qbsjt\",\"days\":3}" },
		{ "{\"days\":10,\"city\":\"Paris\"}",
		    "{\"days\":21,\"city\":\"Paris\"}" },
		{ "{\"a\":-9.50}", "{\"a\":-8.61}" },
		{ "{\"ok\":true,\"in\":{\"z\":[\"Zz\"]}}",
		    "{\"ok\":true,\"in\":{\"z\":[\"Aa\"]}}" },
		{ "{\"t\":\"a\\n\\u00e9\\\"b\"}",
		    "{\"t\":\"b\\n\\u00e9\\\"c\"}" },
		{ "{\"t\":\"\xc3\xa9\"}", "{\"t\":\"\xc3\xa9\"}" },
		{ "[\"x\",\"y\"]", "[\"y\",\"y\"]" },
		{ "{}", "{}" },
		{ "{\"a\":null}", "{\"a\":null}" },
	};
	char text[64];

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t piece = 1; piece <= 64; piece *= 8) {
			struct argswrong a = { .depth = 0 };
			size_t n = strlen(rows[i].was), at = 0;
			bool is_changed = false;

			memcpy(text, rows[i].was, n + 1);
			for (; at < n; at += piece)
				is_changed |= argswrong_feed(&a, text + at,
				    n - at < piece ? n - at : piece);
			CHECK_STR(text, rows[i].is, rows[i].was);
			CHECK(is_changed ==
			        (strcmp(rows[i].was, rows[i].is) != 0),
			    rows[i].was);
		}
}
