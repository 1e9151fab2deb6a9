/*
 * Which request is this?  Decisions hang on a key that names the request
 * and on how often that key was seen, never on who came first.
 *
 *	"identity": { "key": ["header:x-session-id", "body-sha256"],
 *	              "ignore": ["/metadata", "/user"] }
 *
 * The first source that gives something wins; "ordinal" is one key for all
 * requests of a proxy, so that the attempt is the number of the request.
 */
#ifndef CHAOS_IDENTITY_H
#define CHAOS_IDENTITY_H

#include "base/err.h"
#include "base/jfield.h"
#include "chaos/rules/request_facts.h"
#include <jansson.h>
#include <stdbool.h>

#define IDENTITY_SOURCES_MAX 8
#define IDENTITY_IGNORE_MAX  CANON_IGNORED_MAX

struct identity {
	const char *sources[IDENTITY_SOURCES_MAX]; /* borrowed */
	size_t nsources;
	const char *ignore[IDENTITY_IGNORE_MAX]; /* JSON pointers, borrowed */
	size_t nignore;
};

/* v NULL: the default, x-session-id and then the body's hash. */
enum err identity_read(json_t *v, const char *pointer, struct identity *ret,
    struct why *why);

const struct jfield *identity_fields(size_t *n); /* for schema.c */

/* Fills f->key.  A header that may be a secret, or is long or not plain
 * text, is hashed. */
void identity_key(const struct identity *id, struct facts *f);

#endif
