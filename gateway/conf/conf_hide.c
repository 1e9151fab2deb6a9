/*
 * A provider that quotes the key it was sent must not tell it to the client:
 * stars, letter by letter, in its place, however JSON writes it.
 */
#include "gateway/conf/conf.h"

#include <stdlib.h>
#include <string.h>

#define HIDDEN_BYTES 8 /* a shorter key may be a word of the text */

/* How many bytes of text are that byte, as it is or as a string of JSON may
 * write it; 0: they are not. */
static size_t
letter_at(const char *p, size_t n, char letter)
{
	char hex[5] = "", *end;

	if (n > 0 && *p == letter)
		return 1;
	if (n > 1 && p[0] == '\\' && p[1] == letter)
		return 2;
	if (n < 6 || p[0] != '\\' || p[1] != 'u')
		return 0;
	memcpy(hex, p + 2, 4);
	return strtol(hex, &end, 16) == (unsigned char)letter && !*end ? 6 : 0;
}

static size_t
key_at(const char *p, size_t n, const char *key)
{
	size_t at = 0, step;

	for (; *key; key++, at += step)
		if ((step = letter_at(p + at, n - at, *key)) == 0)
			return 0;
	return at;
}

void
conf_hide_keys(const struct conf_provider *p, char *text, size_t n)
{
	size_t len;

	for (size_t i = 0; i < p->nsecrets; i++) {
		const char *key = p->secrets[i].key;

		if (strlen(key) < HIDDEN_BYTES)
			continue;
		for (size_t at = 0; at < n; at += len ? len : 1) {
			len = text[at] == *key || text[at] == '\\'
			    ? key_at(text + at, n - at, key)
			    : 0;
			memset(text + at, '*', len);
		}
	}
}

size_t
conf_hidden_max(const struct conf_provider *p)
{
	size_t most = 0, n;

	for (size_t i = 0; i < p->nsecrets; i++)
		if ((n = strlen(p->secrets[i].key)) > most)
			most = n;
	return 6 * most;
}
