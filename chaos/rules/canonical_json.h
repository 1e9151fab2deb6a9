/*
 * The canonical text of a JSON document: compact, members in the order of
 * their names, those that JSON pointers name left out, strings and numbers as
 * jansson writes them.  Keys of requests are digests of it (request_key.h).
 *
 * canon_tree() is what it means.  canon_scan() says the same in one pass over
 * the bytes, for a tenth of the price, or that it cannot: then a tree must be
 * asked, also whether the bytes are JSON at all.  A fuzz target compares them.
 */
#ifndef CHAOS_CANONICAL_JSON_H
#define CHAOS_CANONICAL_JSON_H

#include "base/buf.h"
#include "base/slice.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CANON_IGNORED_MAX 32

/* Pointers, split at "/" and nothing else; a part that does not fit an array
 * counts as its item 0, as strtoul() has it. */
struct canon_ignored { /* borrowed */
	const char *const *pointers;
	size_t n; /* at most CANON_IGNORED_MAX */
};

/* Members of the outermost object that rules ask for. */
enum canon_known { CANON_MODEL, CANON_STREAM, CANON_TOOLS, CANON_NKNOWN };

struct canon {
	struct buf text; /* owned */
	/* Their values as they stand in the document, ignored or not; p NULL:
	 * there is none. */
	struct slice known[CANON_NKNOWN];
};

/* False: no statement about the document, and *ret holds nothing. */
bool canon_scan(struct slice document, const struct canon_ignored *ignored,
    struct canon *ret);
void canon_done(struct canon *c);

/* Owned, NUL-terminated; NULL when v is. */
char *canon_tree(json_t *v, const struct canon_ignored *ignored);

#endif
