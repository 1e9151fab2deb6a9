/*
 * What every file counts in: the rows of an array, and microseconds.  err.h
 * and mem.h bring it along.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdint.h>

/* The elements of an array; of a pointer it is nonsense, and gcc says so. */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Of 64 bits, as times are: a product with them is, too. */
#define US_PER_MS INT64_C(1000)
#define US_PER_S  INT64_C(1000000)

#endif
