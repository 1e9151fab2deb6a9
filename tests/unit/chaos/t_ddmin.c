/*
 * What is left of a set, and after how many tests.
 */
#include "chaos/trials/ddmin.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit.h"

#define ITEMS_MAX 64

struct hunt {
	const char *culprits; /* all of them are needed: "a", "b", ... */
	size_t tests, tests_max;
};

static enum err
fails(const bool *keep, size_t n, bool *ret_fails, void *arg)
{
	struct hunt *h = arg;

	if (h->tests_max && h->tests == h->tests_max)
		return ERR_STATE;
	h->tests++;
	*ret_fails = true;
	for (const char *c = h->culprits; *c; c++)
		if ((size_t)(*c - 'a') >= n || !keep[*c - 'a'])
			*ret_fails = false;
	return ERR_OK;
}

void t_ddmin(void);

void
t_ddmin(void)
{
	static const struct {
		const char *what, *culprits;
		size_t n, tests_max;
	} rows[] = {
		{ "one of one", "a", 1, 0 },
		{ "one of two", "b", 2, 2 },
		{ "the last of sixteen", "p", 16, 8 },
		{ "two that are far apart", "ap", 16, 60 },
		{ "three of twenty-six", "cmz", 26, 140 },
		{ "all of them", "abcd", 4, 30 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct hunt h = { rows[i].culprits, 0, 0 };
		bool keep[ITEMS_MAX];
		char left[ITEMS_MAX + 1] = "";
		size_t at = 0;

		memset(keep, true, sizeof keep);
		CHECK(ddmin(keep, rows[i].n, fails, &h) == ERR_OK,
		    rows[i].what);
		for (size_t k = 0; k < rows[i].n; k++)
			if (keep[k])
				left[at++] = (char)('a' + k);
		CHECK_STR(left, rows[i].culprits, rows[i].what);
		CHECK(h.tests <= rows[i].tests_max || rows[i].n == 1,
		    rows[i].what);
	}
	{
		struct hunt h = { "cm", 0, 3 };
		bool keep[16];

		memset(keep, true, sizeof keep);
		CHECK(ddmin(keep, 16, fails, &h) == ERR_STATE,
		    "an error ends the search");
		CHECK(keep['c' - 'a'] && keep['m' - 'a'],
		    "and what is kept still fails");
	}
}
