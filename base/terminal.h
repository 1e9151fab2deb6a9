/*
 * What may be sent to a stream that people look at.  Escape sequences are for
 * terminals that say which one they are (TERM); an editor's shell, a serial
 * console or a log viewer calls itself "dumb", or nothing, and gets the lines
 * that a pipe gets.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Is f a terminal on which the cursor can be moved? */
bool terminal_is_drawn(FILE *f);
/* The same, and nobody has set NO_COLOR. */
bool terminal_is_coloured(FILE *f);

#endif
