/*
 * Places in JSON text.  A tree forgets how a document was written; a proxy
 * that edits one string and must leave every other byte alone needs to know
 * where that string stands.  No recursion, no tree, no allocation but for a
 * decoded string.
 *
 * The text is taken as it comes: malformed JSON is "not found", never a
 * wrong place outside the text.
 */
#ifndef CHAOS_JSPAN_H
#define CHAOS_JSPAN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jspan {
	size_t at, n; /* raw bytes; a string's quotes are included */
};

/* The value at a path of keys and array indexes ("choices", "0", ...). */
bool jspan_find(struct slice text, const char *const *path, size_t npath,
    struct jspan *ret);

/* Is it a JSON pointer (RFC 6901) that leads to a member or an item? */
bool jspan_is_pointer(const char *s);
/* The same by a JSON pointer (RFC 6901) of at most JSPAN_DEPTH parts. */
#define JSPAN_DEPTH 16
bool jspan_pointer(struct slice text, const char *pointer, struct jspan *ret);

/* Does this string, not decoded, stand there? */
bool jspan_is_key(struct slice text, struct jspan s, const char *key);

/* The value that starts at text.p[at] (after white space). */
bool jspan_value(struct slice text, size_t at, struct jspan *ret);

size_t jspan_skip_space(struct slice text, size_t at);

/* A string, decoded, with the place each byte came from. */
struct jtext {
	char *p; /* owned, NUL-terminated */
	size_t n;
	uint32_t *at; /* owned: n + 1 raw offsets into the text; the last is
	                 that of the closing quote */
};

/* ERR_SYNTAX when span is no string or holds a bad escape, a lone surrogate
 * or a NUL; *ret is then untouched. */
enum err jtext_read(struct slice text, struct jspan span, struct jtext *ret);
void jtext_done(struct jtext *t); /* NULL-safe */

/* Appends text as it stands between the quotes of a JSON string. */
enum err jspan_escape(struct buf *b, struct slice text);

#endif
