/* Whatever the bytes, what is put is one JSON string. */
#include "gateway/text/jput.h"

#include "base/buf.h"
#include "tests/unit.h"
#include <jansson.h>

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
	json_t *read;

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_init(&b, 100);
		jput_string(&b, slice_of(rows[i].text));
		CHECK_STR(b.data, rows[i].want, rows[i].what);
		read = json_loadb(b.data, b.len, JSON_DECODE_ANY, NULL);
		CHECK(json_is_string(read), rows[i].what);
		json_decref(read);
		buf_done(&b);
	}
}

void t_jput(void);

void
t_jput(void)
{
	puts_strings();
}
