/*
 * A JSON object as compact text with its keys sorted, as jansson dumps it with
 * JSON_COMPACT | JSON_SORT_KEYS, byte for byte; and the same without some of
 * its members.  Each value is written once, however many such texts are made.
 */
#ifndef BASE_SORTED_JSON_H
#define BASE_SORTED_JSON_H

#include "base/buf.h"
#include <jansson.h>

struct sorted_member {
	const char *key; /* borrowed */
	size_t at, n;    /* `"key":value` in text */
};

/* Embedded by value; may be used again after sorted_json_clear. */
struct sorted_json {
	struct buf text;
	struct sorted_member *members; /* owned */
	size_t n, size;
	enum err e; /* ERR_TOOBIG: a member did not fit and is missing */
};

void sorted_json_init(struct sorted_json *s, size_t max_bytes);
void sorted_json_done(struct sorted_json *s);
void sorted_json_clear(struct sorted_json *s);

/* One more member, which it does not have yet; key has to outlive it, the value
 * is borrowed for the call. */
void sorted_json_add(struct sorted_json *s, const char *key, json_t *value);
/* All members of an object. */
void sorted_json_add_all(struct sorted_json *s, json_t *object);

/* Into out, which is cleared: all members but those of a list that ends with
 * NULL.  ERR_TOOBIG, also when a member is missing. */
enum err sorted_json_put(const struct sorted_json *s,
    const char *const *without, struct buf *out);

#endif
