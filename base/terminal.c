/* One place decides, so that no program draws where another writes lines. */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
terminal_is_drawn(FILE *f)
{
	const char *term = getenv("TERM");

	return isatty(fileno(f)) && term && *term && strcmp(term, "dumb") != 0;
}

bool
terminal_is_coloured(FILE *f)
{
	const char *no = getenv("NO_COLOR");

	return terminal_is_drawn(f) && !(no && *no);
}
