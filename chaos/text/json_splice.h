/*
 * Edits of a text: replace a range by other bytes, several at once, in
 * ascending order and disjoint.  What no edit names stays as it was.
 */
#ifndef CHAOS_JSON_SPLICE_H
#define CHAOS_JSON_SPLICE_H

#include "base/buf.h"
#include "base/slice.h"
#include "chaos/text/jspan.h"

#define SPLICE_MAX 32

struct splice {
	size_t at, n;
	char *text; /* owned */
};

struct splices {
	struct splice items[SPLICE_MAX];
	size_t n;
};

/* Copies text; ERR_TOOBIG past SPLICE_MAX. */
enum err splices_add(struct splices *s, size_t at, size_t n, struct slice text);
/* The same, but sorted in: edits may be named in any order. */
enum err splices_insert(struct splices *s, size_t at, size_t n,
    struct slice text);
void splices_done(struct splices *s);

/* Is the edited text another? */
bool splices_change(const struct splices *s, struct slice text);
/* Appends the edited text to out. */
enum err splices_apply(const struct splices *s, struct slice text,
    struct buf *out);

/*
 * The same edits one level up: s edits what the JSON string t decodes to;
 * *ret (empty, the caller frees it) edits the raw text t was read from, with
 * the new bytes escaped once.
 */
enum err splices_lift(const struct splices *s, const struct jtext *t,
    struct splices *ret);

#endif
