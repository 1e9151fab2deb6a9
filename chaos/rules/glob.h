/* Patterns with '*' (any run, '/' too) and '?' (one byte). */
#ifndef CHAOS_GLOB_H
#define CHAOS_GLOB_H

#include "base/slice.h"
#include <stdbool.h>

/* The whole of text must fit.  Time is at most pattern times text. */
bool glob_match(const char *pattern, struct slice text);

#endif
