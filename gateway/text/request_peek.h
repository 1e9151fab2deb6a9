/*
 * A look into a chat request's body: the members of its top-level object as
 * slices of the body, found in one pass, and a copy of the body with some of
 * them replaced.  What is not replaced leaves byte for byte as it came, so
 * fields nobody here knows pass through untouched.
 *
 * Two programs that read one body differently are a hole in the policy
 * between them.  So the whole body must be valid JSON in valid UTF-8, and at
 * the top level a name may stand once only and without escapes.
 */
#ifndef GATEWAY_REQUEST_PEEK_H
#define GATEWAY_REQUEST_PEEK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/jscan.h"

#define PEEK_MEMBERS_MAX 64

struct peek_member {
	struct slice name;
	struct slice value; /* exact bytes, quotes included */
	enum jscan_token type;
};

struct peek {
	struct slice body; /* borrowed */
	size_t inside;     /* offset just after the opening brace */
	size_t n;
	/* The last: who keeps one keeps peek_bytes() of it. */
	struct peek_member members[PEEK_MEMBERS_MAX];
};

/* A member to replace, or to add when the body lacks it. */
struct peek_edit {
	const char *name; /* plain ASCII */
	const char *json; /* the new value */
};

/* ERR_SYNTAX: not one JSON object, or a name twice or escaped.
 * ERR_TOOBIG: more members than the cap.  *why says where. */
enum err peek_read(struct slice body, struct peek *ret, struct why *why);

size_t peek_bytes(const struct peek *k);

/* NULL when the body has no such member.  Inline, because nearly all names are
 * literals. */
const struct peek_member *peek_find(const struct peek *k, struct slice name);

static inline const struct peek_member *
peek_get(const struct peek *k, const char *name)
{
	return peek_find(k, slice_of(name));
}

/* The text of a string member.  False: absent, not a string, does not fit. */
bool peek_string(const struct peek *k, const char *name, char *out,
    size_t size);
bool peek_is_true(const struct peek *k, const char *name);

/* Appends the edited body to out.  ERR_TOOBIG when it does not fit. */
enum err peek_splice(const struct peek *k, const struct peek_edit *edits,
    size_t n, struct buf *out);

#endif
