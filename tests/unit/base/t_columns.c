/* The last cell of a row: what fits stays, what does not goes on under it. */
#include "base/columns.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>

void t_columns(void);

/* What a call writes where COLUMNS says that. */
static void
look(const char *what, const char *columns, const char *want,
    void call(FILE *f, const char *text), const char *text)
{
	char got[256] = "";
	FILE *f = tmpfile();
	size_t n;

	CHECK(f != NULL, what);
	if (!f)
		return;
	(void)setenv("COLUMNS", columns, 1);
	call(f, text);
	rewind(f);
	n = fread(got, 1, sizeof got - 1, f);
	got[n] = '\0';
	CHECK_STR(got, want, what);
	(void)fclose(f);
}

static void
say(FILE *f, const char *text)
{
	columns_say(f, "%s.", text);
}

static void
put_row(FILE *f, const char *text)
{
	columns_put_row("name    ok", 14, text, f);
}

static void
put_row_of_none(FILE *f, const char *text)
{
	columns_put_row("          ", 14, text, f);
}

static void
lines_and_rows(void)
{
	look("a line that nobody says a width of", "",
	    "one two three four five six seven eight.\n", say,
	    "one two three four five six seven eight");
	look("a line that fits", "40",
	    "one two three four five six seven eight.\n", say,
	    "one two three four five six seven eight");
	look("a line that goes on", "30",
	    "one two three four five six\n    seven eight.\n", say,
	    "one two three four five six seven eight");
	look("a line with a word that fits nowhere", "30",
	    "at\n    /a/path/that/is/longer/than/that:\n    3 records.\n", say,
	    "at /a/path/that/is/longer/than/that: 3 records");
	look("a row in a pipe", "", "name    ok    one two three\n", put_row,
	    "one two three");
	look("a row that fits", "40", "name    ok    one two three\n", put_row,
	    "one two three");
	look("a row that does not", "30", "name  ok\n    one two three\n",
	    put_row, "one two three");
	look("a row of nothing behind", "30", "name  ok\n", put_row, "");
	look("a row of nothing before", "30", "    one two three\n",
	    put_row_of_none, "one two three");
}

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
	lines_and_rows();
	if (before)
		(void)setenv("COLUMNS", before, 1);
	else
		(void)unsetenv("COLUMNS");
	free(before);
}
