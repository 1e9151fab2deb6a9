/*
 * Whole numbers and fixed-point ones as digits, for texts that are written for
 * every request.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define DECIMAL_MAX        44
#define DECIMAL_PLACES_MAX 20

/* How many bytes that is. */
size_t decimal_size(uint64_t v, unsigned places);

/* v / 10^places with all its places (12345, 3 is "12.345"; none: no point),
 * just before end, where there is room for DECIMAL_MAX bytes; returns where it
 * begins. */
char *decimal_put(char *end, uint64_t v, unsigned places);

#endif
