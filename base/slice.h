/* A borrowed run of bytes: not NUL-terminated, never freed by its holder. */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct slice {
	const char *p;
	size_t n;
};

#define SLICE_FMT    "%.*s"
#define SLICE_ARG(s) (int)(s).n, (s).p

bool slice_begins(struct slice a, const char *b); /* the first bytes of a */
bool slice_begins_nocase(struct slice a, const char *b); /* ASCII */
bool slice_ends(struct slice a, const char *b);  /* the last bytes of a */
bool slice_skip(struct slice *s, const char *b); /* what it begins with goes */
bool slice_same(struct slice a, struct slice b);
struct slice slice_trim(struct slice s); /* spaces and tabs */
/* Letters, digits and underscores, the first no digit: of C and of the shell.
 */
bool slice_is_identifier(struct slice s);
char *slice_dup(struct slice s); /* owned, NUL-terminated */

/* These are inline because both proxies spend their time in them, and nearly
 * all are given a literal whose length is known here. */

static inline struct slice /* NULL gives empty */
slice_of(const char *s)
{
	return (struct slice){ s, s ? strlen(s) : 0 };
}

/* Equal bytes. */
static inline bool
slice_is(struct slice a, const char *b)
{
	size_t n = strlen(b);

	return a.n == n && (n == 0 || memcmp(a.p, b, n) == 0);
}

/* One of n names. */
static inline bool
slice_is_any(struct slice a, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(a, names[i]))
			return true;
	return false;
}

/* Equal, ASCII case folded. */
static inline bool
slice_is_nocase(struct slice a, const char *b)
{
	size_t n = strlen(b);

	return a.n == n && (n == 0 || strncasecmp(a.p, b, n) == 0);
}

#endif
