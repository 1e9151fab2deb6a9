/*
 * Time.  Pure modules take time as an argument; only the edges ask here.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_ISO_BYTES 32

uint64_t clock_mono_ns(void); /* never goes back */
uint64_t clock_mono_us(void);
uint64_t clock_mono_ms(void);
uint64_t clock_wall_ms(void); /* Unix time in milliseconds */

/*
 * Between these two this thread's clocks stand still: what follows from one
 * read of a socket happens at one time, and asking the system for it each time
 * costs more than what it is asked for.  They do not nest.
 */
void clock_hold(void);
void clock_release(void);
/* The time all the same, for what is measured within. */
uint64_t clock_exact_us(void);

/* "2026-11-21T06:30:00.123Z"; out holds CLOCK_ISO_BYTES. */
void clock_iso(uint64_t wall_ms, char *out);

#endif
