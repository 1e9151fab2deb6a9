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
}
