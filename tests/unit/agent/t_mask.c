/* Secrets leave no text and no URL. */
#include "agent/text/mask.h"
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
		{ "in capitals", "SK-Secret-0001.", "**************." },
		{ "as JSON escapes it", "\"quo\\\"ted-key\"",
		    "\"************\"" },
		{ "a word of the language", "__local float", "__local float" },
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

	mask_add("structuredContent");
	mask_add("key-00001");
	mask_add("abcdefghijklmnopqrstuvwxyz");
	mask_add("quo\"ted-key-1");
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

void
t_mask(void)
{
	mask_add("sk-secret-0001");
	mask_add("sk-secret-0001");
	mask_add("quo\"ted-key");
	mask_add("local");
	mask_add(NULL);
	CHECK_INT(setenv("KF_TEST_api_key", "hunter2hunter2", 1), 0, "setenv");
	mask_add_environment();
	check_texts();
	check_urls();
	check_values();
}
