/* The JSON scanner agrees with RFC 8259, byte by byte and cut anywhere. */
#include "base/jscan.h"

#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char plain[200], spaces[100];

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
judges_texts(void)
{
	static const struct {
		const char *what, *text;
		bool valid;
	} rows[] = {
		{ "an object", "{\"a\":1,\"b\":[true,false,null]}", true },
		{ "space everywhere", " \t\r\n{ \"a\" : [ ] , \"b\" : { } } ",
		    true },
		{ "a bare string", "\"x\"", true },
		{ "all escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
		    true },
		{ "numbers", "[0,-0,1.5,-1e9,2E-3,1.0e+2]", true },
		{ "long plain string",
		    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"", true },
		{ "UTF-8 of each length",
		    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", true },
		{ "nothing", "", false },
		{ "two values", "1 2", false },
		{ "a trailing comma in an array", "[1,]", false },
		{ "a trailing comma in an object", "{\"a\":1,}", false },
		{ "a leading comma", "[,1]", false },
		{ "no colon", "{\"a\" 1}", false },
		{ "a bare name", "{a:1}", false },
		{ "single quotes", "{'a':1}", false },
		{ "the wrong closer", "[1}", false },
		{ "left open", "{\"a\":[1", false },
		{ "a string left open", "\"abc", false },
		{ "a bad escape", "\"\\x41\"", false },
		{ "a short \\u", "\"\\u12\"", false },
		{ "a control byte", "\"a\nb\"", false },
		{ "a control byte far in", "\"aaaaaaaaaaaaaaaaa\x01\"", false },
		{ "a leading zero", "01", false },
		{ "a plus", "+1", false },
		{ "a bare minus", "-", false },
		{ "a bare point", "1.", false },
		{ "a bare exponent", "1e", false },
		{ "NaN", "NaN", false },
		{ "a cut word", "tru", false },
		{ "a lone continuation byte", "\"\x80\"", false },
		{ "an overlong slash", "\"\xc0\xaf\"", false },
		{ "an overlong form of three", "\"\xe0\x80\xaf\"", false },
		{ "an encoded surrogate", "\"\xed\xa0\x80\"", false },
		{ "beyond the last code point", "\"\xf4\x90\x80\x80\"", false },
		{ "a cut sequence", "\"\xe2\x82\"", false },
		{ "a comment", "/* */ 1", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(is_valid(rows[i].text, strlen(rows[i].text)),
		    rows[i].valid, rows[i].what);
}

/* Strings are looked at many bytes at once: of every length, with a byte that
 * needs thought at every place, and with much or little behind them. */
static void
finds_the_end_of_strings(void)
{
	static const struct {
		const char *odd;
		bool valid;
	} rows[] = {
		{ "", true },
		{ "\\\"", true },
		{ "\xc3\xa9", true },
		{ "\x1f", false },
		{ "\xff", false },
		{ "\x7f", true },
	};
	char text[400];
	struct jscan s;

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t n = 0; n < 150; n++)
			for (size_t at = 0; at <= n; at += 1 + n / 40) {
				int len = snprintf(text, sizeof text,
				    "[\"%.*s%s%.*s\"%.*s]", (int)at, plain,
				    rows[i].odd, (int)(n - at), plain,
				    (int)(at % 80), spaces);

				jscan_init(&s,
				    (struct slice){ text, (size_t)len });
				(void)jscan_next(&s);
				if (!rows[i].valid) {
					CHECK_INT(jscan_next(&s), JSCAN_ERROR,
					    "a byte that may not be there");
					continue;
				}
				CHECK_INT(jscan_next(&s), JSCAN_STRING, "it");
				CHECK_INT(s.text.n, n + strlen(rows[i].odd),
				    "all of it");
				CHECK_INT(s.escaped, rows[i].odd[0] == '\\',
				    "whether it is escaped");
				CHECK_INT(jscan_next(&s), JSCAN_ARRAY_END,
				    "what is behind it");
			}
}

static void
refuses_every_prefix(void)
{
	static const char text[] =
	    "{\"model\":\"m\",\"x\":[1,{\"y\":\"\\u00e9\xc3\xa9\"}],\"z\":tru"
	    "e}";

	for (size_t n = 0; n < sizeof text - 1; n++)
		CHECK(!is_valid(text, n), "a cut text is refused");
	CHECK(is_valid(text, sizeof text - 1), "the whole is not");
}

static void
caps_depth(void)
{
	char text[2 * JSCAN_DEPTH_MAX + 3];

	memset(text, '[', JSCAN_DEPTH_MAX);
	memset(text + JSCAN_DEPTH_MAX, ']', JSCAN_DEPTH_MAX);
	CHECK(is_valid(text, 2 * (size_t)JSCAN_DEPTH_MAX), "the cap itself");
	memset(text, '[', JSCAN_DEPTH_MAX + 1);
	CHECK(!is_valid(text, JSCAN_DEPTH_MAX + 1), "one beyond");
}

static void
unescapes(void)
{
	static const struct {
		const char *what, *text, *want;
	} rows[] = {
		{ "plain", "abc", "abc" },
		{ "a slash", "a\\/b", "a/b" },
		{ "a letter", "mod\\u0065l", "model" },
		{ "two bytes", "\\u00e9", "\xc3\xa9" },
		{ "a pair", "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
		{ "a lone high half", "\\ud83d", NULL },
		{ "a lone low half", "\\ude00", NULL },
		{ "a high half and a letter", "\\ud83d\\u0041", NULL },
		{ "a NUL", "a\\u0000", NULL },
		{ "too long", "0123456789abcdef", NULL },
	};
	char out[16];

	for (size_t i = 0; i < COUNT(rows); i++) {
		bool ok =
		    jscan_unescape(slice_of(rows[i].text), out, sizeof out);

		CHECK_STR(ok ? out : NULL, rows[i].want, rows[i].what);
	}
}

void t_jscan(void);

void
t_jscan(void)
{
	judges_texts();
	memset(plain, 'x', sizeof plain - 1);
	memset(spaces, ' ', sizeof spaces - 1);
	finds_the_end_of_strings();
	refuses_every_prefix();
	caps_depth();
	unescapes();
}
