#include "chaos/http/secret_mask.h"

#include <stdlib.h>
#include <string.h>

#define UNICODE_BYTES 6 /* \u002B */

/* The bytes at p that say c; 0: they say something else. */
static size_t
said(const char *p, size_t n, char c)
{
	char digits[5] = { 0 }, *end;

	if (n > 0 && *p == c && (c != '\\' || n < 2 || p[1] != c))
		return 1;
	if (n < 2 || *p != '\\')
		return 0;
	if (p[1] == c && strchr("/\"\\", c))
		return 2;
	if (n < UNICODE_BYTES || p[1] != 'u')
		return 0;
	memcpy(digits, p + 2, 4);
	return strtoul(digits, &end, 16) == (unsigned char)c && !*end
	    ? UNICODE_BYTES
	    : 0;
}

static size_t
said_whole(const char *p, size_t n, const char *secret)
{
	size_t at = 0, more = 1;

	for (; *secret && more; secret++) {
		more = said(p + at, n - at, *secret);
		at += more;
	}
	return more ? at : 0;
}

void
secret_mask(const char *secret, char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = p[i] == *secret || p[i] == '\\'
		    ? said_whole(p + i, n - i, secret)
		    : 0;

		if (len) {
			memset(p + i, '*', len);
			i += len - 1;
		}
	}
}
