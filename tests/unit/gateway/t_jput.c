/* Whatever the bytes, what is put is one JSON string. */
#include "gateway/text/jput.h"

#include "base/buf.h"
#include "tests/unit.h"
#include <jansson.h>
#include <stdio.h>

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

/* Members of every length, with a byte that is escaped at each place. */
static void
puts_members(void)
{
	char text[41], want[300];
	struct buf b;

	buf_init(&b, 1000);
	for (size_t n = 0; n < sizeof text; n++)
		for (size_t odd = 0; odd <= n; odd++) {
			memset(text, 'x', n);
			text[n] = '\0';
			text[odd] = odd < n ? '"' : '\0';
			buf_clear(&b);
			buf_addc(&b, '{');
			jput_member(&b, "a", text);
			jput_ms(&b, "b", n * 1000 + odd);
			jput_bool(&b, "c", odd == n);
			snprintf(want, sizeof want,
			    "{\"a\":\"%.*s%s%s\",\"b\":%zu.%03zu,\"c\":%s",
			    (int)odd, text, odd < n ? "\\\"" : "",
			    odd < n ? text + odd + 1 : "", n, odd,
			    odd == n ? "true" : "false");
			CHECK_STR(b.data, want, "members");
		}
	buf_clear(&b);
	buf_addc(&b, '[');
	jput_put_member(&b, slice_of("n"), slice_of("v"));
	jput_put_member(&b, slice_of("o"), slice_of("w"));
	CHECK_STR(b.data, "[\"n\":\"v\",\"o\":\"w\"", "no literal");
	buf_done(&b);
	buf_init(&b, 8);
	buf_addc(&b, '{');
	CHECK_INT(jput_member(&b, "a", "too long"), ERR_TOOBIG, "no room");
	buf_done(&b);
}

void t_jput(void);

void
t_jput(void)
{
	puts_strings();
	puts_members();
}
