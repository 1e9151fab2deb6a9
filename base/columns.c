/* A pipe has no width, so that whoever reads it may name one in COLUMNS. */
#include "base/columns.h"

#include "base/mem.h"
#include <stdarg.h>
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

/* Text from column `at` on, its further lines at `indent`.  What is a cell of
 * its own is split within a word; elsewhere a word is a name or a path that
 * somebody copies, and stays whole. */
static void
put(const char *text, int at, int indent, bool splits, FILE *f)
{
	for (;;) {
		int room = columns_said(f) - at;
		size_t n = fitting(text, room < LAST_MIN ? LAST_MIN : room);
		const char *next;

		if (!splits && text[n] != ' ' && !memchr(text, ' ', n))
			n = strcspn(text, " ");
		next = text + n + strspn(text + n, " ");
		while (n > 0 && *next && text[n - 1] == ' ')
			n--;
		fprintf(f, "%.*s\n", (int)n, text);
		text = next;
		if (!*text)
			return;
		fprintf(f, "%*s", indent, "");
		at = indent;
	}
}

void
columns_put_last(const char *text, int at, FILE *f)
{
	int width = columns_said(f);

	if (width == 0) {
		fprintf(f, "%s\n", text);
		return;
	}
	if (width - at < LAST_MIN && *text) {
		at = BELOW;
		fprintf(f, "\n%*s", at, "");
	}
	put(text, at, at, true, f);
}

/* Cells that stand close: of spaces side by side two are left. */
static void
set_close(char *head)
{
	char *to = head;

	for (const char *p = head; *p; p++)
		if (*p != ' ' || p[1] != ' ' || (p > head && p[-1] != ' '))
			*to++ = *p;
	while (to > head && to[-1] == ' ')
		to--;
	*to = '\0';
}

void
columns_put_row(const char *head, int at, const char *text, FILE *f)
{
	int width = columns_said(f);
	char *close;

	if (width == 0 || width - at >= LAST_MIN) {
		columns_put_last(text, fprintf(f, "%-*s", at, head), f);
		return;
	}
	close = xstrdup(head);
	set_close(close);
	if (*close)
		put(close, 0, BELOW, false, f);
	if (*text) {
		fprintf(f, "%*s", BELOW, "");
		put(text, BELOW, BELOW, true, f);
	}
	free(close);
}

void
columns_say(FILE *f, const char *fmt, ...)
{
	int width = columns_said(f);
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (width == 0)
		fprintf(f, "%s\n", text);
	else
		put(text, 0, BELOW, false, f);
	free(text);
}

int
columns_rows(FILE *f)
{
	struct winsize w;

	return has_size(f, &w) ? w.ws_row : ROWS_DEFAULT;
}
