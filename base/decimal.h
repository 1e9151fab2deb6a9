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

/* v / 10^places with all its places (12345, 3 is "12.345"; none: no point), at
 * the end of out; how many bytes that is. */
size_t decimal_put(char out[DECIMAL_MAX], uint64_t v, unsigned places);

#endif
