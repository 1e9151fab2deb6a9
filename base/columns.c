/* A pipe has no width, so that whoever reads it may name one in COLUMNS. */
#include "base/columns.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80
#define ROWS_DEFAULT    24

static bool
has_size(FILE *f, struct winsize *ret)
{
	return isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, ret) == 0 &&
	    ret->ws_col > 0 && ret->ws_row > 0;
}

int
columns_given(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;

	if (has_size(f, &w))
		return w.ws_col;
	if (columns && atoi(columns) > 0)
		return atoi(columns);
	return COLUMNS_DEFAULT;
}

int
columns_rows(FILE *f)
{
	struct winsize w;

	return has_size(f, &w) ? w.ws_row : ROWS_DEFAULT;
}
