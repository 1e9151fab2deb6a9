#include "chaos/rules/glob.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit.h"

void
t_glob(void)
{
	static const struct {
		const char *pattern, *text;
		bool want;
	} rows[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "a", "a", true },
		{ "a", "b", false },
		{ "*", "", true },
		{ "*", "a/b", true },
		{ "a*c", "abbc", true },
		{ "a*c", "abbd", false },
		{ "a*b*c", "aXbYbZc", true },
		{ "*ab", "aab", true },
		{ "?", "a", true },
		{ "?", "", false },
		{ "/v1/*", "/v1/chat/completions", true },
		{ "deepseek-*", "gpt-4", false },
		{ "a**b", "ab", true },
	};
	char *many = xmalloc(20000);

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(glob_match(rows[i].pattern, slice_of(rows[i].text)),
		    rows[i].want, rows[i].pattern);
	memset(many, 'a', 20000);
	CHECK(!glob_match("*a*a*a*a*a*a*a*a*b", (struct slice){ many, 20000 }),
	    "many stars over a long text end in time");
	free(many);
}
