/* Which answers are good enough, whole and streamed. */
#include "gateway/decisions/validators.h"

#include "tests/unit.h"
#include <string.h>

static const char all[] = "[{type: content}, {type: tool_arguments}, {type: "
                          "finish}]";
static const char keys[] = "[{type: keys, keys: [a, b]}]";
static const char regex[] = "[{type: regex, pattern: 'k+ernel$'}]";

static const struct row {
	const char *what, *validators, *answer, *fails;
} rows[] = {
	/* clang-format off */
	{ "a good one", all, "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}", NULL },
	{ "nothing", all, "{\"choices\":[{\"message\":{\"content\":\"\"}}]}", "content" },
	{ "blanks", all, "{\"choices\":[{\"message\":{\"content\":\" \\n\"}}]}", "content" },
	{ "no choices", all, "{\"choices\":[]}", "content" },
	{ "no JSON at all", all, "<html>", "content" },
	{ "cut by length", all, "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"length\"}]}", "finish" },
	{ "a tool call", all, "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"a\\\":1}\"}}]}}]}", NULL },
	{ "a broken one", all, "{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"a\\\":\"}}]}}]}", "tool_arguments" },
	{ "the keys", keys, "{\"choices\":[{\"message\":{\"content\":\"{\\\"a\\\":1,\\\"b\\\":null}\"}}]}", NULL },
	{ "not all of them", keys, "{\"choices\":[{\"message\":{\"content\":\"{\\\"a\\\":1}\"}}]}", "keys" },
	{ "prose", keys, "{\"choices\":[{\"message\":{\"content\":\"a and b\"}}]}", "keys" },
	{ "a match", regex, "{\"choices\":[{\"message\":{\"content\":\"my kkernel\"}}]}", NULL },
	{ "letters beyond ASCII", "[{type: regex, pattern: '^.gr\xc3\xb6\xc3\x9f[\xc3\xa4\xc3\xbc].$'}]", "{\"choices\":[{\"message\":{\"content\":\"\xc3\xb6gr\\u00f6\xc3\x9f\xc3\xbc\\u20ac\"}}]}", NULL },
	{ "half of one", "[{type: regex, pattern: '[\xc3\xa4\xc3\xbc]'}]", "{\"choices\":[{\"message\":{\"content\":\"\xc3\xb6\"}}]}", "regex" },
	{ "no match", regex, "{\"choices\":[{\"message\":{\"content\":\"my kernels\"}}]}", "regex" },
	/* Would take years; it is given up, and does not match. */
	{ "a heavy pattern", "[{type: regex, pattern: '^(a|aa|a*)*$'}]", "{\"choices\":[{\"message\":{\"content\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}}]}", "regex" },
	/* clang-format on */
};

static const struct row streams[] = {
	/* clang-format off */
	{ "text in pieces", regex, "data: {\"choices\":[{\"delta\":{\"content\":\"ker\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"nel\"}}]}\n\n", NULL },
	{ "arguments in pieces", all, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"{\\\"a\\\"\"}},{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\":1}\"}}]}}]}\n\ndata: [DONE]\n\n", NULL },
	{ "a piece is missing", all, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n", "tool_arguments" },
	{ "an index out of bounds", all, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":99,\"function\":{\"arguments\":\"x\"}},{\"index\":-1}]}}]}\n\n", "content" },
	{ "nothing came", all, "", "content" },
	/* clang-format on */
};

static void
run_row(const struct row *r, bool stream)
{
	struct ytree *tree = NULL;
	struct validators *v;
	struct findings f;
	struct content c;

	findings_init(&f, "f");
	ytree_parse("f", r->validators, strlen(r->validators), &tree, NULL);
	v = validators_read(ytree_documents(tree), &f);
	CHECK_INT(f.errors, 0, r->what);
	content_init(&c);
	if (stream)
		content_add_events(&c, slice_of(r->answer));
	else
		content_add_answer(&c, slice_of(r->answer));
	CHECK_STR(validators_run(v, &c), r->fails, r->what);
	content_done(&c);
	validators_free(v);
	ytree_free(tree);
	findings_done(&f);
}

/* Patterns that would take gigabytes to compile are refused. */
static void
refuses_big_patterns(void)
{
	static const char text[] =
	    "[{type: regex, pattern: '((((a{999}){999}){999}){999}){999}'}]";
	struct ytree *tree = NULL;
	struct findings f;

	findings_init(&f, "f");
	ytree_parse("f", text, sizeof text - 1, &tree, NULL);
	validators_free(validators_read(ytree_documents(tree), &f));
	CHECK_INT(f.errors, 1, "too big a pattern");
	ytree_free(tree);
	findings_done(&f);
}

void t_validators(void);

void
t_validators(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		run_row(&rows[i], false);
	for (size_t i = 0; i < COUNT(streams); i++)
		run_row(&streams[i], true);
	refuses_big_patterns();
}
