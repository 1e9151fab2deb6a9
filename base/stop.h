/*
 * Being asked to stop.  SIGINT, SIGTERM and SIGHUP set a flag; whoever does
 * something long looks at it between two steps, records nothing more of the
 * step that it breaks off, and the run ends with everything it knew.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>
#include <stdint.h>

void stop_install(void);
/* The signal that came, by its name; NULL: none. */
const char *stop_asked(void);
/* Sleeps; less when a stop is asked for meanwhile, whichever thread the signal
 * came to. */
void stop_sleep(uint32_t ms);

#endif
