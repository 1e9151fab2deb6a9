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
#ifndef CHAOS_REQUEST_KEY_H
#define CHAOS_REQUEST_KEY_H

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

const struct jfield *identity_fields(size_t *n); /* for api_schema.c */

/*
 * Fills f->id: equal for equal keys of one proxy.  The key itself is made when
 * identity_key() asks for it: most requests are only counted, and a digest of
 * every body would be the largest part of what they cost.  id is borrowed, as
 * long as f; secret is that of the table that counts.
 */
void identity_see(const struct identity *id, const struct keyed_hash *secret,
    struct facts *f);

/* The key that it would have without its query, as it had up to version 0.1;
 * "": the same.  Behind identity_key(). */
const char *identity_key_unqueried(const struct facts *f);

/* The key, borrowed from f; "" before identity_see().  A header that may be a
 * secret, or is long or not plain text, is hashed. */
const char *identity_key(struct facts *f);

#endif
