/* Borrowed runs of bytes. */
#include "base/slice.h"

#include "base/mem.h"
#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool
slice_begins(struct slice a, const char *b)
{
	size_t n = strlen(b);

	return a.n >= n && (n == 0 || memcmp(a.p, b, n) == 0);
}

bool
slice_begins_nocase(struct slice a, const char *b)
{
	size_t n = strlen(b);

	return a.n >= n && (n == 0 || strncasecmp(a.p, b, n) == 0);
}

bool
slice_skip(struct slice *s, const char *b)
{
	size_t n = strlen(b);

	if (!slice_begins(*s, b))
		return false;
	*s = (struct slice){ s->p + n, s->n - n };
	return true;
}

bool
slice_same(struct slice a, struct slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
slice_ends(struct slice a, const char *b)
{
	size_t n = strlen(b);

	return a.n >= n && memcmp(a.p + a.n - n, b, n) == 0;
}

struct slice
slice_trim(struct slice s)
{
	while (s.n > 0 && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

char *
slice_dup(struct slice s)
{
	char *copy = xmalloc(s.n + 1);

	if (s.n > 0)
		memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	return copy;
}

bool
slice_is_identifier(struct slice s)
{
	static const char all[] = "0123456789_abcdefghijklmnopqrstuvwxyz"
	                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr(all, s.p[i]))
			return false;
	return s.n > 0 && !(s.p[0] >= '0' && s.p[0] <= '9');
}
