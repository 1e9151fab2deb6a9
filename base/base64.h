/*
 * Standard base64 (RFC 4648, 4), with or without its padding.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* out holds at least n bytes, and gets a NUL behind the *ret that were there;
 * false: it is none. */
bool base64_decode(const char *in, size_t n, char *out, size_t *ret);

#endif
