/*
 * Being asked to stop.  SIGINT, SIGTERM and SIGHUP set a flag; whoever does
 * something long looks at it between two steps, records nothing more of the
 * step that it breaks off, and the run ends with everything it knew.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>

void stop_install(void);
/* The signal that came, by its name; NULL: none. */
const char *stop_asked(void);

#endif
