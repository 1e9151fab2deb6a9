/* Whatever the bytes, what is put is one JSON string. */
#include "gateway/text/jput.h"

#include "base/buf.h"
#include "base/jscan.h"
#include "tests/unit.h"
#include <string.h>

static bool
is_valid(const char *text, size_t n)
{
	struct jscan s;
	enum jscan_token t;

	jscan_init(&s, (struct slice){ text, n });
	do
		t = jscan_next(&s);
	while (t != JSCAN_END && t != JSCAN_ERROR);
	return t == JSCAN_END;
}

static void
puts_strings(void)
{
	static const struct {
		const char *what, *text, *want;
	} rows[] = {
		{ "plain", "abc", "\"abc\"" },
		{ "quotes and escapes", "a\"\\\n\t", "\"a\\\"\\\\\\n\\t\"" },
		{ "a control byte", "\x01\x7f", "\"\\u0001\\u007f\"" },
		{ "UTF-8", "\xe2\x82\xac", "\"\xe2\x82\xac\"" },
		{ "not UTF-8", "a\xff\xed\xa0\x80z", "\"a????z\"" },
		{ "a cut sequence", "\xf0\x9f\x98", "\"???\"" },
	};
	struct buf b;

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_init(&b, 100);
		jput_string(&b, slice_of(rows[i].text));
		CHECK_STR(b.data, rows[i].want, rows[i].what);
		CHECK(is_valid(b.data, b.len), rows[i].what);
		buf_done(&b);
	}
}

void t_jput(void);

void
t_jput(void)
{
	puts_strings();
}
