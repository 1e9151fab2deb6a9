/* A borrowed run of bytes: not NUL-terminated, never freed by its holder. */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>

struct slice {
	const char *p;
	size_t n;
};

#define SLICE_FMT    "%.*s"
#define SLICE_ARG(s) (int)(s).n, (s).p

struct slice slice_of(const char *s);                /* NULL gives empty */
bool slice_is(struct slice a, const char *b);        /* equal bytes */
bool slice_is_nocase(struct slice a, const char *b); /* ASCII case folded */
struct slice slice_trim(struct slice s);             /* spaces and tabs */
char *slice_dup(struct slice s);                     /* owned, NUL-terminated */

#endif
