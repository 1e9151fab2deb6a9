/*
 * Every addition ends with a NUL, so that a text may be used at any time; what
 * was cut is remembered, for those who must not use half a name.
 */
#include "gateway/text/short_text.h"

#include "base/decimal.h"
#include <string.h>

void
short_text_init(struct short_text *l, char *text, size_t size)
{
	*l = (struct short_text){ text, 0, size, false };
	text[0] = '\0';
}

void
short_text_put(struct short_text *l, const char *p, size_t n)
{
	size_t room = l->size - l->len - 1;

	if (n > room) {
		n = room;
		l->is_cut = true;
	}
	memcpy(l->text + l->len, p, n);
	l->len += n;
	l->text[l->len] = '\0';
}

void
short_text_uint(struct short_text *l, uint64_t v)
{
	short_text_decimal(l, v, 0);
}

void
short_text_hex(struct short_text *l, uint64_t v)
{
	char text[16];

	for (int i = 15; i >= 0; i--, v >>= 4)
		text[i] = "0123456789abcdef"[v & 15];
	short_text_put(l, text, sizeof text);
}

void
short_text_decimal(struct short_text *l, uint64_t v, unsigned places)
{
	char digits[DECIMAL_MAX], *end = digits + sizeof digits;
	const char *p = decimal_put(end, v, places);

	short_text_put(l, p, (size_t)(end - p));
}

void
short_text_back(struct short_text *l, size_t len)
{
	l->len = len;
	l->text[len] = '\0';
	l->is_cut = false;
}
