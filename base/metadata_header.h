/*
 * X-TFY-METADATA: a flat map of strings that rides on a request, as a JSON
 * object of strings ({"op":"rope"}) or as "k=v;k=v".  At most 32 pairs and
 * 8 KiB.
 */
#ifndef BASE_METADATA_HEADER_H
#define BASE_METADATA_HEADER_H

#include "base/err.h"
#include <jansson.h>

/* *ret: a JSON object of strings, owned.  Numbers and booleans are taken as
 * their text.  ERR_SYNTAX for anything else. */
enum err metadata_header_parse(const char *text, size_t len, json_t **ret,
    struct why *why);

/* As compact JSON of printable ASCII, which may stand in a header; owned. */
char *metadata_header_text(json_t *meta);

/* The value of key, borrowed from meta; NULL when absent (or meta NULL). */
const char *metadata_header_get(json_t *meta, const char *key);

#endif
