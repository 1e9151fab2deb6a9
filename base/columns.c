/* A pipe has no width, so that whoever reads it may name one in COLUMNS. */
#include "base/columns.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80

int
columns_given(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;

	if (isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, &w) == 0 &&
	    w.ws_col > 0)
		return w.ws_col;
	if (columns && atoi(columns) > 0)
		return atoi(columns);
	return COLUMNS_DEFAULT;
}
