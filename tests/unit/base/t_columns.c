/* The last cell of a row: what fits stays, what does not goes on under it. */
#include "base/columns.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>

void t_columns(void);

void
t_columns(void)
{
	static const struct {
		const char *what, *columns, *text;
		int at;
		const char *want;
	} rows[] = {
		{ "nobody says a width", "", "one two three four five six", 10,
		    "one two three four five six\n" },
		{ "it fits", "40", "one two three four five", 10,
		    "one two three four five\n" },
		{ "it goes on under itself", "40",
		    "one two three four five six seven", 10,
		    "one two three four five six\n          seven\n" },
		{ "too little is left beside", "40", "one two three", 30,
		    "\n    one two three\n" },
		{ "a word that fits nowhere", "30",
		    "aaaaaaaaaabbbbbbbbbbccccccccccdd", 4,
		    "aaaaaaaaaabbbbbbbbbbcccccc\n    ccccdd\n" },
		{ "characters are counted, not bytes", "28",
		    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 "
		    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 "
		    "0123456789",
		    4,
		    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 "
		    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 "
		    "0123456789\n" },
		{ "no text", "40", "", 10, "\n" },
	};
	char *before = getenv("COLUMNS") ? xstrdup(getenv("COLUMNS")) : NULL;

	for (size_t i = 0; i < COUNT(rows); i++) {
		char got[256] = "";
		FILE *f = tmpfile();
		size_t n;

		if (!CHECK(f != NULL, rows[i].what))
			break;
		(void)setenv("COLUMNS", rows[i].columns, 1);
		columns_put_last(rows[i].text, rows[i].at, f);
		rewind(f);
		n = fread(got, 1, sizeof got - 1, f);
		got[n] = '\0';
		CHECK_STR(got, rows[i].want, rows[i].what);
		(void)fclose(f);
	}
	if (before)
		(void)setenv("COLUMNS", before, 1);
	else
		(void)unsetenv("COLUMNS");
	free(before);
}
