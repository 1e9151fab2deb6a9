/*
 * A provider that quotes the key it was sent must not tell it to the client:
 * stars, letter by letter, in its place, however JSON writes it.  A half of it,
 * the first or the last, is hidden as well: what was cut is still most of a key.
 */
#include "gateway/conf/conf.h"

#include <stdlib.h>
#include <string.h>

#define HIDDEN_BYTES 8            /* a shorter key may be a word of the text */
#define PART_BYTES   ((size_t)12) /* and a shorter part, as "sk-proj-" is */

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

/* What a text begins with. */
struct found {
	size_t bytes;   /* of the text */
	size_t letters; /* of the key */
	bool is_open;   /* the text ended before it was clear */
};

static struct found
key_at(const char *p, size_t n, const char *key)
{
	struct found f = { 0, 0, false };
	size_t step;

	for (; key[f.letters]; f.letters++, f.bytes += step) {
		const char *at = p + f.bytes;
		size_t left = n - f.bytes;

		if ((step = letter_at(at, left, key[f.letters])) > 0)
			continue;
		f.is_open = left == 0 || (*at == '\\' && left < 6);
		break;
	}
	return f;
}

static size_t
part_of(size_t n)
{
	return n < 2 * PART_BYTES ? PART_BYTES : n / 2;
}

/* The end of a key that is long enough to be hidden by itself. */
static const char *
last_part(const char *key)
{
	size_t n = strlen(key);

	return n > part_of(n) ? key + n - part_of(n) : key;
}

/* How many bytes at the beginning of a text are that key, or a part of it. */
static size_t
hidden_at(const char *p, size_t n, const char *key, bool *ret_is_last)
{
	struct found f = key_at(p, n, key);
	const char *last = last_part(key);

	*ret_is_last = false;
	if (!key[f.letters] || f.letters >= part_of(strlen(key)))
		return f.bytes;
	f = key_at(p, n, last);
	*ret_is_last = !last[f.letters];
	return last[f.letters] ? 0 : f.bytes;
}

/* More of the key, in front of its last part. */
static void
hide_before(char *text, size_t at, const char *key)
{
	const char *last = last_part(key);

	for (; last > key && at > 0 && text[at - 1] == last[-1]; at--, last--)
		text[at - 1] = '*';
}

static void
hide_key(char *text, size_t n, const char *key)
{
	const char *last = last_part(key);
	bool is_last;
	size_t len;

	for (size_t at = 0; at < n; at += len ? len : 1) {
		len = 0;
		if (text[at] != *key && text[at] != *last && text[at] != '\\')
			continue;
		len = hidden_at(text + at, n - at, key, &is_last);
		if (is_last)
			hide_before(text, at, key);
		memset(text + at, '*', len);
	}
}

void
conf_hide_keys(const struct conf_provider *p, char *text, size_t n)
{
	for (size_t i = 0; i < p->nsecrets; i++)
		if (strlen(p->secrets[i].key) >= HIDDEN_BYTES)
			hide_key(text, n, p->secrets[i].key);
}

/* The same for one key. */
static size_t
begun(const char *text, size_t n, const char *key)
{
	size_t longest = 6 * strlen(key);
	struct found f;

	for (size_t at = n > longest ? n - longest : 0; at < n; at++) {
		f = key_at(text + at, n - at, key);
		if (f.is_open ||
		    key_at(text + at, n - at, last_part(key)).is_open)
			return n - at;
		if (!key[f.letters])
			at += f.bytes - 1;
	}
	return 0;
}

size_t
conf_hidden_begun(const struct conf_provider *p, const char *text, size_t n)
{
	size_t most = 0, one;

	for (size_t i = 0; i < p->nsecrets; i++)
		if ((one = begun(text, n, p->secrets[i].key)) > most)
			most = one;
	return most;
}
