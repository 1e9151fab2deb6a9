/*
 * Places in JSON text, decoded strings and their positions, and edits that
 * are lifted through two levels of escaping.
 */
#include "chaos/text/jspan.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaos/text/json_splice.h"
#include "tests/unit.h"

static void
check_find(void)
{
	static const struct {
		const char *what, *json, *path[3], *want; /* NULL: not found */
	} rows[] = {
		{ "a member", "{\"a\":1,\"b\":2}", { "b" }, "2" },
		{ "white space", " { \"a\" : [ 1 , 2 ] } ", { "a", "1" }, "2" },
		{ "a nested string", "{\"a\":{\"b\":\"x\\\"y\"}}", { "a", "b" },
		    "\"x\\\"y\"" },
		{ "a whole object", "{\"a\":{\"b\":[{}]}}", { "a" },
		    "{\"b\":[{}]}" },
		{ "brackets in strings", "{\"a\":\"}]\",\"b\":3}", { "b" },
		    "3" },
		{ "no such key", "{\"a\":1}", { "b" }, NULL },
		{ "no such index", "[1]", { "1" }, NULL },
		{ "a scalar has no members", "{\"a\":1}", { "a", "b" }, NULL },
		{ "cut inside", "{\"a\":{\"b\":1", { "a", "c" }, NULL },
		{ "cut string", "{\"a\":\"x", { "a" }, NULL },
		{ "not JSON", "hello", { "a" }, NULL },
		{ "empty", "", { "a" }, NULL },
		{ "no colon", "{\"a\" 1}", { "a" }, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice text = slice_of(rows[i].json);
		size_t n = rows[i].path[1] ? 2 : 1;
		struct jspan span;
		char got[64] = "";
		bool found = jspan_find(text, rows[i].path, n, &span);

		if (found)
			snprintf(got, sizeof got, "%.*s", (int)span.n,
			    text.p + span.at);
		CHECK_STR(found ? got : NULL, rows[i].want, rows[i].what);
	}
}

static void
check_text(void)
{
	static const struct {
		const char *what, *json, *want; /* NULL: refused */
	} rows[] = {
		{ "plain", "\"abc\"", "abc" },
		{ "empty", "\"\"", "" },
		{ "escapes", "\"a\\n\\t\\\"\\\\\\/b\"", "a\n\t\"\\/b" },
		{ "two bytes", "\"\\u00e9\"", "\xc3\xa9" },
		{ "three bytes", "\"\\u20AC\"", "\xe2\x82\xac" },
		{ "a pair", "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		{ "a lone high half", "\"\\ud83d\"", NULL },
		{ "a lone low half", "\"\\ude00\"", NULL },
		{ "a NUL", "\"\\u0000\"", NULL },
		{ "a bad escape", "\"\\q\"", NULL },
		{ "short hex", "\"\\u12\"", NULL },
		{ "no string", "12", NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice text = slice_of(rows[i].json);
		struct jspan span = { 0, text.n };
		struct jtext t = { NULL, 0, NULL };
		enum err e = jtext_read(text, span, &t);

		CHECK_STR(e == ERR_OK ? t.p : NULL, rows[i].want, rows[i].what);
		if (e == ERR_OK)
			CHECK_INT(t.at[t.n], text.n - 1, rows[i].what);
		jtext_done(&t);
	}
}

/* An edit of a string in a string: only the edited bytes change. */
static void
check_lift(void)
{
	static const char *const path[] = { "c" };
	static const char body[] =
	    "{\"c\":\"{\\\"source\\\":\\\"a\\\\nb \\\\u00e9 c\\\"}\", \"d\":1}";
	static const char want[] =
	    "{\"c\":\"{\\\"source\\\":\\\"a\\\\nX\\\\n\\\\\\\"Y \\\\u00e9 "
	    "c\\\"}\", \"d\":1}";
	static const char *const inner_path[] = { "source" };
	struct splices s0 = { .n = 0 }, s1 = { .n = 0 }, s2 = { .n = 0 };
	struct jtext outer = { NULL, 0, NULL }, inner = { NULL, 0, NULL };
	struct jspan span;
	struct buf out;

	buf_init(&out, 4096);
	CHECK(jspan_find(slice_of(body), path, 1, &span) &&
	        jtext_read(slice_of(body), span, &outer) == ERR_OK,
	    "the outer string");
	CHECK(jspan_find(slice_of(outer.p), inner_path, 1, &span) &&
	        jtext_read(slice_of(outer.p), span, &inner) == ERR_OK,
	    "the inner string");
	CHECK_STR(inner.p, "a\nb \xc3\xa9 c", "decoded twice");
	splices_add(&s0, 2, 1, slice_of("b"));
	CHECK(!splices_change(&s0, slice_of(inner.p)), "the same again");
	splices_done(&s0);
	splices_add(&s0, 2, 1, slice_of("X\n\"Y"));
	CHECK(splices_change(&s0, slice_of(inner.p)), "another text");
	CHECK(splices_lift(&s0, &inner, &s1) == ERR_OK, "lifted once");
	CHECK(splices_lift(&s1, &outer, &s2) == ERR_OK, "lifted twice");
	CHECK(splices_apply(&s2, slice_of(body), &out) == ERR_OK, "applied");
	CHECK_STR(out.data, want, "only the edit changed");
	splices_done(&s0);
	splices_done(&s1);
	splices_done(&s2);
	jtext_done(&outer);
	jtext_done(&inner);
	buf_done(&out);
}

void
t_jspan(void)
{
	check_find();
	check_text();
	check_lift();
}
