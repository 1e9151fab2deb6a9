/* A body is looked into and spliced; what is not replaced stays. */
#include "gateway/text/request_peek.h"

#include "tests/unit.h"
#include <stdio.h>
#include <string.h>

static const struct peek_edit edits[] = {
	{ "model", "\"new\"" },
	{ "seed", "7" },
};

static void
splices(void)
{
	static const struct {
		const char *what, *body, *want;
		size_t nedits;
	} rows[] = {
		{ "the model alone", "{\"model\":\"m\"}", "{\"model\":\"new\"}",
		    1 },
		{ "unknown fields stay as they are",
		    "{ \"x\" : [1, {\"model\":2}],\"model\": \"m\" , \"y\":1e5 "
		    "}\n",
		    "{ \"x\" : [1, {\"model\":2}],\"model\": \"new\" , "
		    "\"y\":1e5 }\n",
		    1 },
		{ "a missing member is added", "{\"model\":\"m\"}",
		    "{\"seed\":7,\"model\":\"new\"}", 2 },
		{ "a present one is replaced",
		    "{\"seed\":{\"a\":[]},\"model\":\"m\"}",
		    "{\"seed\":7,\"model\":\"new\"}", 2 },
		{ "into an empty object", "{}",
		    "{\"model\":\"new\",\"seed\":7}", 2 },
		{ "nothing", "{\"a\":1}", "{\"a\":1}", 0 },
	};
	struct peek k;
	struct buf out;

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_init(&out, 1000);
		CHECK_INT(peek_read(slice_of(rows[i].body), &k, NULL), ERR_OK,
		    rows[i].what);
		peek_splice(&k, edits, rows[i].nedits, &out);
		CHECK_STR(out.data, rows[i].want, rows[i].what);
		buf_done(&out);
	}
	buf_init(&out, 10);
	peek_read(slice_of("{\"model\":\"m\"}"), &k, NULL);
	CHECK_INT(peek_splice(&k, edits, 2, &out), ERR_TOOBIG, "the cap");
	buf_done(&out);
}

static void
refuses(void)
{
	static const struct {
		const char *what, *body, *says;
	} rows[] = {
		{ "nothing", "", "ends here" },
		{ "no object", "[1]", "expected a JSON object" },
		{ "a member twice", "{\"model\":\"a\",\"model\":\"b\"}",
		    "stands twice" },
		{ "a name with escapes", "{\"mod\\u0065l\":\"a\"}", "escapes" },
		{ "more after it", "{} {}", "nothing after" },
		{ "cut", "{\"model\":\"a\"", "ends here" },
		{ "not UTF-8", "{\"a\":\"\xff\"}", "UTF-8" },
		{ "not UTF-8 in a name", "{\"\xff\":1}", "UTF-8" },
	};
	struct peek k;
	struct why why;

	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK_INT(peek_read(slice_of(rows[i].body), &k, &why),
		    ERR_SYNTAX, rows[i].what);
		CHECK(strstr(why.text, rows[i].says), rows[i].what);
	}
}

static void
caps_members(void)
{
	struct peek k;
	struct buf b;

	buf_init(&b, 10000);
	buf_addc(&b, '{');
	for (int i = 0; i < PEEK_MEMBERS_MAX; i++)
		buf_addf(&b, "%s\"m%d\":%d", i ? "," : "", i, i);
	buf_addc(&b, '}');
	CHECK_INT(peek_read((struct slice){ b.data, b.len }, &k, NULL), ERR_OK,
	    "the cap itself");
	b.len--;
	buf_adds(&b, ",\"more\":1}");
	CHECK_INT(peek_read((struct slice){ b.data, b.len }, &k, NULL),
	    ERR_TOOBIG, "one beyond");
	buf_done(&b);
}

static void
reads_members(void)
{
	struct peek k;
	char out[8];

	peek_read(slice_of("{\"model\":\"a\\/b\",\"stream\":true,\"n\":1,"
	                   "\"long\":\"123456789\"}"),
	    &k, NULL);
	CHECK(peek_string(&k, "model", out, sizeof out), "a string");
	CHECK_STR(out, "a/b", "its text");
	CHECK(peek_is_true(&k, "stream"), "a true");
	CHECK(!peek_is_true(&k, "n"), "a number is not true");
	CHECK(!peek_string(&k, "n", out, sizeof out), "nor a string");
	CHECK(!peek_string(&k, "gone", out, sizeof out), "absent");
	CHECK(!peek_string(&k, "long", out, sizeof out), "too long");
}

void t_request_peek(void);

void
t_request_peek(void)
{
	splices();
	refuses();
	caps_members();
	reads_members();
}
