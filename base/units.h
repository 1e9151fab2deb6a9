/*
 * What every file counts in: the rows of an array, and microseconds.  err.h
 * and mem.h bring it along.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

/* The elements of an array; of a pointer it is nonsense, and gcc says so. */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define US_PER_MS 1000
#define US_PER_S  1000000

#endif
