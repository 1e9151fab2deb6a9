/*
 * The scan and the tree write one canonical text; what the scan leaves to the
 * tree is said here, row by row.
 */
#include "chaos/rules/canonical_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaos/rules/request_facts.h"
#include "tests/unit.h"

static const char *const some[] = { "/user", "/a/0/b", "/a/b", "/a//c",
	"/a/x/d", "/a/00/d", "/p~1q", "/t~01", "/u~" };

static const struct {
	const char *what, *document;
	const char *want;   /* NULL: no JSON */
	const char *unsaid; /* the scan says nothing about it, because... */
	bool ignores;
} rows[] = {
	{ "members in order", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", NULL,
	    false },
	{ "members out of order, space", " { \"b\" : 2 ,\n\"a\":\t1 } ",
	    "{\"a\":1,\"b\":2}", NULL, false },
	{ "a prefix before what it begins", "{\"ab\":1,\"a\":2,\"\":3}",
	    "{\"\":3,\"a\":2,\"ab\":1}", NULL, false },
	{ "names by their bytes", "{\"\xc3\xa9\":1,\"z\":2,\"Z\":3}",
	    "{\"Z\":3,\"z\":2,\"\xc3\xa9\":1}", NULL, false },
	{ "objects in objects and arrays",
	    "{\"m\":[{\"r\":1,\"c\":{\"z\":[],\"y\":{}}},[],{}],\"a\":0}",
	    "{\"a\":0,\"m\":[{\"c\":{\"y\":{},\"z\":[]},\"r\":1},[],{}]}", NULL,
	    false },
	{ "an array", "[3, 1,2 ]", "[3,1,2]", NULL, false },
	{ "words", "[true,false,null]", "[true,false,null]", NULL, false },
	{ "plain escapes stay", "[\"\\\"\\\\\\b\\f\\n\\r\\t\"]",
	    "[\"\\\"\\\\\\b\\f\\n\\r\\t\"]", NULL, false },
	{ "a slash loses its escape", "[\"a\\/b\"]", "[\"a/b\"]", NULL, false },
	{ "a letter too", "[\"\\u0061\\u00e9\\ud83d\\ude00\"]",
	    "[\"a\xc3\xa9\xf0\x9f\x98\x80\"]", NULL, false },
	{ "a control character in capitals", "[\"\\u001f\\u000a\"]",
	    "[\"\\u001F\\n\"]", NULL, false },
	{ "a backslash before a letter u", "[\"\\\\u0061\"]", "[\"\\\\u0061\"]",
	    NULL, false },
	{ "integers", "[0,-1,123456789012345678]", "[0,-1,123456789012345678]",
	    NULL, false },
	{ "the largest and the smallest integer",
	    "[9223372036854775807,-9223372036854775808]",
	    "[9223372036854775807,-9223372036854775808]", NULL, false },
	{ "no negative zero", "[-0]", "[0]", NULL, false },
	{ "fractions", "[0.7,1.0,-0.0,1.50]",
	    "[0.69999999999999996,1.0,-0.0,1.5]", NULL, false },
	{ "exponents", "[1e0,1E2,1e-7,12e+30]",
	    "[1.0,100.0,9.9999999999999995e-8,1.1999999999999999e31]", NULL,
	    false },
	{ "ignored members", "{\"user\":{\"x\":1},\"b\":1}", "{\"b\":1}", NULL,
	    true },
	{ "an ignored member of an item",
	    "{\"a\":[{\"b\":1,\"c\":2,\"d\":3},{\"b\":4}]}",
	    "{\"a\":[{\"c\":2,\"d\":3},{\"b\":4}]}", NULL, true },
	{ "an empty name", "{\"a\":{\"\":{\"c\":2,\"e\":3}}}",
	    "{\"a\":{\"\":{\"e\":3}}}", NULL, true },
	{ "names with a slash and a tilde",
	    "{\"p/q\":1,\"p~1q\":2,\"t~1\":3,\"t/\":4,\"u~\":5}",
	    "{\"p~1q\":2,\"t/\":4}", NULL, true },
	{ "one two members down", "{\"a\":{\"b\":1,\"c\":2}}",
	    "{\"a\":{\"c\":2}}", NULL, true },
	{ "all of them", "{\"user\":1}", "{}", NULL, true },
	{ "an item cannot be ignored", "{\"a\":[{\"b\":{\"user\":1}}]}",
	    "{\"a\":[{}]}", NULL, true },
	{ "not at another depth", "{\"x\":{\"user\":1},\"d\":{\"b\":1}}",
	    "{\"d\":{\"b\":1},\"x\":{\"user\":1}}", NULL, true },
	{ "a name with an escape", "{\"\\u0061\":1}", "{\"a\":1}",
	    "names are compared as they stand", false },
	{ "a name twice", "{\"a\":1,\"b\":2,\"a\":3}", NULL, "", false },
	{ "a name twice, ignored", "{\"user\":1,\"user\":3}", NULL, "", true },
	{ "an integer beyond 64 bits", "[9223372036854775808]", NULL, "",
	    false },
	{ "a number beyond a double", "[1e999]", NULL, "", false },
	{ "a NUL", "[\"\\u0000\"]", NULL, "", false },
	{ "half a character", "[\"\\ud83d\"]", NULL, "", false },
	{ "bytes that are no text", "[\"\xff\"]", NULL, "", false },
	{ "a scalar is no document", "17", NULL, "", false },
	{ "two documents", "{} {}", NULL, "", false },
	{ "nothing", "", NULL, "", false },
};

static void
check_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice document = slice_of(rows[i].document);
		struct canon_ignored ignored = { some,
			rows[i].ignores ? COUNT(some) : 0 };
		json_t *v = json_loadb(document.p, document.n,
		    JSON_REJECT_DUPLICATES, NULL);
		char *by_tree = canon_tree(v, &ignored);
		struct canon c;

		CHECK_STR(by_tree, rows[i].want, rows[i].what);
		if (canon_scan(document, &ignored, &c)) {
			CHECK(!rows[i].unsaid, rows[i].what);
			CHECK_STR(c.text.data, rows[i].want, rows[i].what);
			canon_done(&c);
		} else {
			CHECK(rows[i].unsaid != NULL, rows[i].what);
		}
		free(by_tree);
		json_decref(v);
	}
}

/* {"a":{"a":...}} and {"m0":0,"m1":1,...}: as large as the scan goes, and one
 * more. */
static void
check_caps(void)
{
	static const struct canon_ignored none = { NULL, 0 };
	static char text[65536];
	struct canon c;
	size_t n;

	for (int depth = 32; depth <= 33; depth++) {
		n = 0;
		for (int i = 0; i < depth; i++)
			n += (size_t)sprintf(text + n, "[");
		for (int i = 0; i < depth; i++)
			n += (size_t)sprintf(text + n, "]");
		CHECK_INT(canon_scan((struct slice){ text, n }, &none, &c),
		    depth == 32, "nesting");
		if (depth == 32)
			canon_done(&c);
	}
	for (int width = 512; width <= 513; width++) {
		n = (size_t)sprintf(text, "{");
		for (int i = 0; i < width; i++)
			n += (size_t)sprintf(text + n, "\"m%d\":%d,", i, i);
		text[n - 1] = '}';
		CHECK_INT(canon_scan((struct slice){ text, n }, &none, &c),
		    width == 512, "members");
		if (width == 512)
			canon_done(&c);
	}
}

static void
check_facts(void)
{
	static const struct {
		const char *what, *body, *model;
		bool is_stream, has_tools;
	} facts[] = {
		{ "all three",
		    "{\"tools\":[ {\"x\":1}],\"stream\": true,\"model\":\"m\"}",
		    "m", true, true },
		{ "none", "{}", "", false, false },
		{ "of other types",
		    "{\"tools\":{\"x\":1},\"stream\":1,\"model\":[\"m\"]}", "",
		    false, false },
		{ "no tools in the list", "{\"tools\":[ \n]}", "", false,
		    false },
		{ "an empty model", "{\"model\":\"\"}", "", false, false },
		{ "a model in escapes", "{\"model\":\"a\\/\\u0062\"}", "a/b",
		    false, false },
		{ "a name in escapes", "{\"mod\\u0065l\":\"m\"}", "m", false,
		    false },
		{ "deeper down", "{\"x\":{\"model\":\"m\",\"stream\":true}}",
		    "", false, false },
		{ "no JSON", "{\"model\":\"m\",\"stream\":true", "", false,
		    false },
		{ "a name twice", "{\"model\":\"m\",\"model\":\"m\"}", "",
		    false, false },
	};
	static const struct http1_head head;
	char model[16];

	for (size_t i = 0; i < COUNT(facts); i++) {
		struct facts f;

		facts_init(&f, "p", &head, slice_of(facts[i].body));
		snprintf(model, sizeof model, SLICE_FMT,
		    SLICE_ARG(facts_asked_model(&f)));
		CHECK_STR(model, facts[i].model, facts[i].what);
		CHECK_INT(facts_stream(&f), facts[i].is_stream, facts[i].what);
		CHECK_INT(facts_has_tools(&f), facts[i].has_tools,
		    facts[i].what);
		facts_done(&f);
	}
}

void
t_canon(void)
{
	check_rows();
	check_caps();
	check_facts();
}
