/*
 * UTF-8 by the book (RFC 3629): shortest forms only, no surrogates, nothing
 * past U+10FFFF.  A table row per length keeps the rules in one place.
 */
#include "agent/text/utf8.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	size_t bytes;
	uint32_t min;		  /* smallest character of this length */
	unsigned char mask, lead; /* of the first byte */
} utf8_forms[] = {
	{ 1, 0,	      0x80, 0x00 },
	{ 2, 0x80,    0xe0, 0xc0 },
	{ 3, 0x800,   0xf0, 0xe0 },
	{ 4, 0x10000, 0xf8, 0xf0 },
};
/* clang-format on */

static uint32_t
read_form(const char *p, size_t bytes, unsigned char mask)
{
	uint32_t c = (unsigned char)p[0] & (unsigned char)~mask;

	for (size_t i = 1; i < bytes; i++) {
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return UTF8_BAD;
		c = c << 6 | ((unsigned char)p[i] & 0x3f);
	}
	return c;
}

uint32_t
utf8_next(const char *p, size_t n, size_t *used)
{
	unsigned char first = (unsigned char)*p;

	*used = 1;
	for (size_t i = 0; i < COUNT(utf8_forms); i++) {
		uint32_t c;

		if ((first & utf8_forms[i].mask) != utf8_forms[i].lead)
			continue;
		if (utf8_forms[i].bytes > n)
			return UTF8_BAD;
		c = read_form(p, utf8_forms[i].bytes, utf8_forms[i].mask);
		if (c == UTF8_BAD || c < utf8_forms[i].min || c > 0x10ffff ||
		    (c >= 0xd800 && c <= 0xdfff))
			return UTF8_BAD;
		*used = utf8_forms[i].bytes;
		return c;
	}
	return UTF8_BAD;
}

json_t *
utf8_json(const char *text)
{
	char *copy = xstrdup(text ? text : "");
	size_t n = strlen(copy), used;
	json_t *value;

	for (size_t i = 0; i < n; i += used)
		if (utf8_next(copy + i, n - i, &used) == UTF8_BAD)
			copy[i] = '?';
	value = json_string(copy);
	free(copy);
	return value;
}
