/* UTF-8, one character at a time, and texts that are sure to be UTF-8. */
#ifndef AGENT_UTF8_H
#define AGENT_UTF8_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BAD UINT32_MAX

/*
 * The character at p (n > 0 bytes left) and in *used how many bytes it
 * takes.  A byte that begins no shortest-form character gives UTF8_BAD and
 * uses 1, so a reader always moves on.
 */
uint32_t utf8_next(const char *p, size_t n, size_t *used);

/* A JSON string of any bytes: what is not UTF-8 becomes '?'.  NULL gives "". */
json_t *utf8_json(const char *text);

#endif
