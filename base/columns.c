/* A pipe has no width, so that whoever reads it may name one in COLUMNS. */
#include "base/columns.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80
#define ROWS_DEFAULT    24
#define LAST_MIN        24 /* a narrower last cell stands below its row */
#define BELOW           4  /* and this far in */

static bool
has_size(FILE *f, struct winsize *ret)
{
	return isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, ret) == 0 &&
	    ret->ws_col > 0 && ret->ws_row > 0;
}

int
columns_said(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;

	if (has_size(f, &w))
		return w.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : 0;
}

int
columns_given(FILE *f)
{
	int said = columns_said(f);

	return said > 0 ? said : COLUMNS_DEFAULT;
}

/* Bytes of the longest head of text in `room` columns, at a word's end if
 * there is one.  A byte that goes on a character takes no column. */
static size_t
fitting(const char *text, int room)
{
	size_t at = 0, word = 0;
	int columns = 0;

	for (; text[at]; at++) {
		if (((unsigned char)text[at] & 0xc0) != 0x80 &&
		    ++columns > room)
			return word > 0 ? word : at;
		if (text[at] == ' ')
			word = at;
	}
	return at;
}

void
columns_put_last(const char *text, int at, FILE *f)
{
	int room = columns_said(f) - at;

	if (columns_said(f) == 0) {
		fprintf(f, "%s\n", text);
		return;
	}
	if (room < LAST_MIN) {
		at = BELOW;
		room = columns_said(f) - at;
		room = room < LAST_MIN ? LAST_MIN : room;
		fprintf(f, "\n%*s", at, "");
	}
	for (;;) {
		size_t n = fitting(text, room);

		fprintf(f, "%.*s\n", (int)n, text);
		text += n;
		text += strspn(text, " ");
		if (!*text)
			return;
		fprintf(f, "%*s", at, "");
	}
}

int
columns_rows(FILE *f)
{
	struct winsize w;

	return has_size(f, &w) ? w.ws_row : ROWS_DEFAULT;
}
