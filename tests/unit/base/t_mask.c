/*
 * Secrets leave no text and no URL, wherever a text that holds one is cut: by
 * us, or before it came.
 */
#include "base/err.h"
#include "base/mask.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

static void
check_texts(void)
{
	static const struct {
		const char *what, *in, *want;
	} rows[] = {
		{ "alone", "sk-secret-0001", "**************" },
		{ "in an error", "bad key sk-secret-0001!",
		    "bad key **************!" },
		{ "twice", "sk-secret-0001sk-secret-0001",
		    "****************************" },
		{ "from the environment", "x=hunter2hunter2",
		    "x=**************" },
		{ "a proxy that libcurl cannot read",
		    "syntax in 'http://user:pro#xysecret12345@127.0.0.1:3128'",
		    "syntax in "
		    "'http://**********************@127.0.0.1:3128'" },
		{ "its password alone", "[pro#xysecret12345]",
		    "[*****************]" },
		{ "a file that is there", "/etc/passwd: no such user",
		    "/etc/passwd: no such user" },
		{ "a slash alone names no file", "/not-a-file/0001",
		    "****************" },
		{ "in capitals", "SK-Secret-0001.", "**************." },
		{ "as JSON escapes it", "\"quo\\\"ted-key\"",
		    "\"************\"" },
		{ "a word of the language", "__local float", "__local float" },
		{ "a name of OpenCL C", "get_global_id(convert_float4_rte(x))",
		    "get_global_id(convert_float4_rte(x))" },
		{ "a number", "\"ms\":2026112301", "\"ms\":2026112301" },
		{ "nothing", "", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[128];

		snprintf(text, sizeof text, "%s", rows[i].in);
		mask_text(text);
		CHECK_STR(text, rows[i].want, rows[i].what);
	}
}

static void
check_urls(void)
{
	static const struct {
		const char *in, *want;
	} rows[] = {
		{ "http://h:1/v1", "http://h:1/v1" },
		{ "http://user:password1@h/v1", "http://h/v1" },
		{ "https://a@b@h", "https://h" },
		{ "http://h/p@th", "http://h/p@th" },
		{ "no url", "no url" },
	};
	char after[] = "password1 is wrong";

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *url = mask_url(rows[i].in);

		CHECK_STR(url, rows[i].want, rows[i].in);
		free(url);
	}
	mask_text(after);
	CHECK_STR(after, "********* is wrong", "a password of a URL");
}

static void
check_values(void)
{
	static const struct {
		const char *what, *in, *want;
	} rows[] = {
		{ "a value, deep", "{\"a\":[{\"b\":\"x sk-secret-0001\"}]}",
		    "{\"a\":[{\"b\":\"x **************\"}]}" },
		{ "never a key", "{\"sk-secret-0001\":1}",
		    "{\"sk-secret-0001\":1}" },
		{ "a word of the protocol", "[\"structuredContent\"]",
		    "[\"structuredContent\"]" },
		{ "a short one", "[\"key-00001\"]", "[\"key-00001\"]" },
		{ "letters, but many", "[\"abcdefghijklmnopqrstuvwxyz\"]",
		    "[\"**************************\"]" },
		{ "with a quote", "[\"quo\\\"ted-key-1\"]",
		    "[\"*************\"]" },
	};

	(void)mask_add("structuredContent");
	(void)mask_add("key-00001");
	(void)mask_add("abcdefghijklmnopqrstuvwxyz");
	(void)mask_add("quo\"ted-key-1");
	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *v = json_loads(rows[i].in, 0, NULL);
		char *text;

		mask_json(v);
		text = json_dumps(v, JSON_COMPACT);
		CHECK_STR(text, rows[i].want, rows[i].what);
		free(text);
		json_decref(v);
	}
}

#define KEY       "kQ7vX2mPz9Lw4TjR8nBd5GhC3yFs6A"
#define KEY_CHARS (sizeof KEY - 1)

/* The longest part of KEY that text holds. */
static size_t
longest_part(const char *text)
{
	char part[KEY_CHARS + 1];
	size_t most = 0;

	for (size_t from = 0; from < KEY_CHARS; from++)
		for (size_t n = most + 1; from + n <= KEY_CHARS; n++) {
			memcpy(part, &KEY[from], n);
			part[n] = '\0';
			if (strcasestr(text, part))
				most = n;
		}
	return most;
}

/* A key behind so many letters, cut by whoever: at most what is too short to
 * be a part of one is left. */
static void
check_cut(size_t before)
{
	char letters[WHY_MAX + KEY_CHARS], text[WHY_MAX + 2 * KEY_CHARS];
	char out[200];
	struct why why;

	memset(letters, '=', before);
	letters[before] = '\0';
	mask_format(out, sizeof out, "%s%s tail", letters, KEY);
	CHECK(longest_part(out) < MASK_END_MIN, "cut by the formatting");
	(void)why_set(&why, ERR_SYNTAX, "%s" KEY " tail", letters);
	CHECK(longest_part(why.text) < MASK_END_MIN, "cut by a reason's end");
	(void)why_prefix(&why, ERR_SYNTAX, "a prefix");
	CHECK(longest_part(why.text) < MASK_END_MIN, "cut by its prefix");
	/* Before it came. */
	(void)snprintf(text, sizeof text, "%s" KEY, letters);
	text[WHY_MAX - 1] = '\0';
	mask_foreign(text);
	CHECK(longest_part(text) < MASK_END_MIN, "cut by a child");
	(void)snprintf(text, sizeof text, "\"%.*s\" and more",
	    (int)(before % KEY_CHARS), KEY);
	mask_foreign(text);
	CHECK(longest_part(text) < MASK_PART_MIN, "quoted in part");
	(void)why_set(&why, ERR_SYNTAX, "found \"%.*s\", expected",
	    (int)(before % KEY_CHARS), KEY);
	CHECK(longest_part(why.text) < MASK_PART_MIN, "cut by a width");
}

/* An answer holds no part of a key, and its words stay what they are. */
static void
check_answers(void)
{
	static const struct {
		const char *what, *in, *want;
	} rows[] = {
		{ "all but a letter", "// Q7vX2mPz9Lw4TjR8nBd5GhC3yFs6A\n",
		    "// *****************************\n" },
		{ "eight in capitals", "\"JR8NBD5G\"", "\"********\"" },
		{ "seven", "/* jR8nBd5 */", "/* jR8nBd5 */" },
		{ "at the end", "it is kQ7v", "it is ****" },
		{ "a word of a kernel", "i-get_global_id(0)",
		    "i-get_global_id(0)" },
		{ "that word and more", "s9-get_global_id(0)",
		    "****************(0)" },
		{ "a number in a name", "float16_rte x; as_float16_rte y;",
		    "float16_rte x; as_float16_rte y;" },
		{ "a number", "2147483647u", "2147483647u" },
		{ "a line", "// ------------\n", "// ------------\n" },
	};

	(void)mask_add("s9-get_global_id");
	(void)mask_add("Z!float16_rte!2147483647");
	(void)mask_add("Z!--------------!");
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[128];

		snprintf(text, sizeof text, "%s", rows[i].in);
		mask_answer(text);
		CHECK_STR(text, rows[i].want, rows[i].what);
	}
}

static void
check_words(void)
{
	static const struct {
		const char *key;
		bool is_masked;
	} rows[] = {
		{ "get_global_id", false },
		{ "convert_float4_rte", false },
		{ "CLK_LOCAL_MEM_FENCE", false },
		{ "native_exp2", false },
		{ "verified_correct", false },
		{ "12345678", false },
		{ "2026-11-23", false },
		{ "short", false },
		{ "sk-get_global_id", true },
		{ "a8f3k2m9", true },
		{ "GetGlobalIdentity", true },
		{ "abcdefghijklmnopqrstuvwxyz", true },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(mask_add(rows[i].key), rows[i].is_masked,
		    rows[i].key);
	CHECK(!mask_add(NULL), "none");
	CHECK(mask_holds("x a8f3K2m9!"), "held");
	CHECK(!mask_holds("x a8f3K2m!") && !mask_holds(NULL), "not held");
}

void
t_mask(void)
{
	(void)mask_add("sk-secret-0001");
	(void)mask_add("sk-secret-0001");
	(void)mask_add("quo\"ted-key");
	(void)mask_add("local");
	(void)mask_add(NULL);
	CHECK_INT(setenv("KF_TEST_api_key", "hunter2hunter2", 1), 0, "setenv");
	CHECK_INT(setenv("KF_TEST_CREDENTIALS", "/etc/passwd", 1), 0, "setenv");
	CHECK_INT(setenv("KF_TEST_SECRET", "/not-a-file/0001", 1), 0, "setenv");
	CHECK_INT(setenv("KF_TEST_PROXY",
	              "http://user:pro#xysecret12345@127.0.0.1:3128", 1),
	    0, "setenv");
	mask_add_environment();
	check_texts();
	check_urls();
	check_values();
	check_words();
	CHECK(mask_add(KEY), "a key");
	for (size_t before = 0; before < WHY_MAX + KEY_CHARS - 1; before++)
		check_cut(before);
	check_answers();
}
