#include "base/mem.h"
#include "cltext/candidate.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#define OBJ                                                                    \
	"{\"source\":\"k\",\"entry\":\"rope\",\"global_size\":[\"rows*2\",4]," \
	"\"local_size\":[\"64\",\"1\"]}"

static const struct {
	const char *what, *text;
	const char *error; /* a part of it, or NULL for success */
} answers[] = {
	/* clang-format off */
	{ "the object", OBJ, NULL },
	{ "blanks around", " \n" OBJ "\n ", NULL },
	{ "in a fence", "```json\n" OBJ "\n```\n", NULL },
	{ "in prose", "Here { it } is: " OBJ " Enjoy {\"x\": 1}.", NULL },
	{ "after code in braces", "```c\nvoid f(void) { return; }\n```\n" OBJ, NULL },
	{ "with assumptions", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"1\"],\"local_size\":[\"1\"],\"assumptions\":[\"a\"]}", NULL },
	{ "empty", "  ", "empty" },
	{ "prose", "I cannot do that.", "answer" },
	{ "two objects", OBJ "\n" OBJ, "two objects" },
	{ "an array", "[" "1]", "expected" },
	{ "cut", "{\"source\":\"k\",\"entry\":", "answer" },
	{ "duplicate key", "{\"source\":\"k\",\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"1\"],\"local_size\":[\"1\"]}", "answer" },
	{ "unknown key", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"1\"],\"local_size\":[\"1\"],\"x\":1}", "x" },
	{ "missing key", "{\"source\":\"k\",\"global_size\":[\"1\"],\"local_size\":[\"1\"]}", "entry" },
	{ "source no string", "{\"source\":1,\"entry\":\"e\",\"global_size\":[\"1\"],\"local_size\":[\"1\"]}", "source" },
	{ "empty source", "{\"source\":\"\",\"entry\":\"e\",\"global_size\":[\"1\"],\"local_size\":[\"1\"]}", "source" },
	{ "entry no name", "{\"source\":\"k\",\"entry\":\"a b\",\"global_size\":[\"1\"],\"local_size\":[\"1\"]}", "entry" },
	{ "no dimension", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[],\"local_size\":[\"1\"]}", "global_size" },
	{ "four dimensions", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"1\",\"1\",\"1\",\"1\"],\"local_size\":[\"1\"]}", "global_size" },
	{ "sizes differ", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"1\",\"1\"],\"local_size\":[\"1\"]}", "local size: 1 dimension: expected 2" },
	{ "a real size", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[1.5],\"local_size\":[\"1\"]}", "/global_size/0" },
	{ "an empty size", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"\"],\"local_size\":[\"1\"]}", "global size 0" },
	{ "a size of two lines", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"1\\n2\"],\"local_size\":[\"1\"]}", "global size 0" },
	{ "a note no string", "{\"source\":\"k\",\"entry\":\"e\",\"global_size\":[\"1\"],\"local_size\":[\"1\"],\"assumptions\":[3]}", "/assumptions/0" },
	/* clang-format on */
};

static const struct {
	const char *what, *text;
	const char *error;
} files[] = {
	/* clang-format off */
	{ "a header", "// entry: rope\n// global: batch * seq, max(rows, 2)\n// local: 64, 1\n__kernel", NULL },
	{ "any order, with prose", "// Rotary embedding.\n// local: 64\n// global: n\n//\n// entry: e\n", NULL },
	{ "carriage returns", "// entry: e\r\n// global: n\r\n// local: 1\r\nk", NULL },
	{ "an assumption", "// entry: e\n// global: n\n// local: 1\n// assume: n is even\nk", NULL },
	{ "nothing", "", "source" },
	{ "no header", "__kernel void f() {}", "f.cl: no line" },
	{ "no global", "// entry: e\n// local: 1\nk", "global" },
	{ "no local", "// entry: e\n// global: 1\nk", "local" },
	{ "below blank lines", "\n \r\n// entry: e\n\n  // global: 1\n// local: 1\nk", NULL },
	{ "behind a licence", "/* by me,\n * 2026 */ // entry: e\n// global: 1\n/* */\n// local: 1\nk", NULL },
	{ "behind a byte order mark", "\xef\xbb\xbf// entry: e\n// global: 1\n// local: 1\nk", NULL },
	{ "other blanks", "//entry:e\n//\tglobal : 1\n//   local  :\t1  \nk", NULL },
	{ "behind code", "int x;\n// entry: e\n// global: 1\n// local: 1\nk", "entry" },
	{ "in a comment of the other kind", "/* // entry: e\n*/\n// global: 1\n// local: 1\nk", "entry" },
	{ "a comment that never ends", "/* // entry: e\n// global: 1\n// local: 1\nk", "entry" },
	{ "lines are counted", "/*\n\n*/\n\n// entry: e\n// entry: e\nk", "f.cl:6" },
	{ "twice", "// entry: e\n// entry: f\n// global: 1\n// local: 1\nk", "f.cl:2" },
	{ "four dimensions", "// entry: e\n// global: 1,1,1,1\n// local: 1\nk", "f.cl:2" },
	{ "sizes differ", "// entry: e\n// global: 1,1\n// local: 1\nk", "local size: 1 dimension: expected 2" },
	{ "an empty value", "// entry: e\n// global: 1,\n// local: 1,1\nk", "global size 1" },
	{ "not UTF-8", "// entry: e\n// global: 1\n// local: 1\n\xff", "UTF-8" },
	/* clang-format on */
};

static void
check_row(const char *what, enum err e, const char *error,
    const struct why *why)
{
	if (!error) {
		CHECK_INT(e, ERR_OK, what);
	} else {
		CHECK_INT(e, ERR_SYNTAX, what);
		if (!CHECK(strstr(why->text, error) != NULL, what))
			CHECK_STR(why->text, error, what);
	}
}

/* One mark is none of the text's; a second is, for the compiler to refuse. */
static void
check_marks(void)
{
	static const char header[] =
	    "// entry: e\n// global: 1\n// local: 1\nk";
	static const char object[] =
	    "{\"source\":\"%sk\",\"entry\":\"e\",\"global_size\":[\"1\"],"
	    "\"local_size\":[\"1\"]}";
	static const struct {
		const char *marks, *left;
	} marks[] = { { "", "" }, { "\xef\xbb\xbf", "" },
		{ "\xef\xbb\xbf\xef\xbb\xbf", "\xef\xbb\xbf" } };

	for (size_t i = 0; i < COUNT(marks); i++) {
		char *text = xasprintf("%s%s", marks[i].marks, header);
		char *want = xasprintf("%s%s", marks[i].left, header);
		struct candidate c = { 0 };
		bool has_header = marks[i].left[0] == '\0';

		CHECK((candidate_parse_file("f.cl", text, strlen(text), &c,
		           NULL) == ERR_OK) == has_header,
		    "a file's marks");
		if (has_header)
			CHECK_STR(c.source, want, "a file without its mark");
		candidate_done(&c);
		free(text);
		free(want);
		text = xasprintf(object, marks[i].marks);
		want = xasprintf("%sk", marks[i].left);
		c = (struct candidate){ 0 };
		CHECK_INT(candidate_parse_answer(text, strlen(text), &c, NULL),
		    ERR_OK, "an answer's marks");
		CHECK_STR(c.source, want, "a source without its mark");
		candidate_done(&c);
		free(text);
		free(want);
	}
}

static void
round_trip(void)
{
	struct candidate c, d, f;
	struct why why;
	char *text, *file, *again;
	json_t *o;

	CHECK_INT(candidate_parse_answer(OBJ, strlen(OBJ), &c, &why), ERR_OK,
	    "parse");
	CHECK_INT(c.ndims, 2, "dimensions");
	CHECK_STR(c.global[0], "rows*2", "global");
	CHECK_STR(c.global[1], "4", "an integer is an expression");
	CHECK_STR(c.entry, "rope", "entry");
	o = candidate_to_json(&c);
	text = json_dumps(o, JSON_COMPACT);
	CHECK_INT(candidate_parse_answer(text, strlen(text), &d, &why), ERR_OK,
	    "the object parses again");
	file = candidate_to_file(&d);
	CHECK_STR(file,
	    "// entry: rope\n// global: rows*2, 4\n// local: 64, 1\n\nk",
	    "as a file");
	CHECK_INT(candidate_parse_file("f.cl", file, strlen(file), &f, &why),
	    ERR_OK, "the file parses");
	again = candidate_to_file(&f);
	CHECK_STR(again, file, "a header is not doubled");
	json_decref(o);
	free(text);
	free(file);
	free(again);
	candidate_done(&c);
	candidate_done(&d);
	candidate_done(&f);
}

static void
big_answers(void)
{
	struct candidate c;
	struct why why;
	size_t n = (size_t)9 * CANDIDATE_SOURCE_MAX;
	char *p = malloc(n);

	for (size_t i = 0; i < n; i++)
		p[i] = "{\"a\":"[i % 5];
	CHECK_INT(candidate_parse_answer(p, n, &c, &why), ERR_SYNTAX,
	    "too long");
	CHECK_INT(candidate_parse_answer(p, n / 2, &c, &why), ERR_SYNTAX,
	    "deep");
	memset(p, 'a', n);
	CHECK_INT(candidate_parse_file("f", p, CANDIDATE_SOURCE_MAX + 1, &c,
	              &why),
	    ERR_SYNTAX, "a long file");
	free(p);
}

void
t_candidate(void)
{
	struct candidate c;
	struct why why;
	enum err e;

	for (size_t i = 0; i < COUNT(answers); i++) {
		e = candidate_parse_answer(answers[i].text,
		    strlen(answers[i].text), &c, &why);
		check_row(answers[i].what, e, answers[i].error, &why);
		if (e == ERR_OK)
			candidate_done(&c);
	}
	for (size_t i = 0; i < COUNT(files); i++) {
		e = candidate_parse_file("f.cl", files[i].text,
		    strlen(files[i].text), &c, &why);
		check_row(files[i].what, e, files[i].error, &why);
		if (e == ERR_OK)
			candidate_done(&c);
	}
	round_trip();
	check_marks();
	big_answers();
}
