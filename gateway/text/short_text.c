/*
 * Every addition ends with a NUL, so that a text may be used at any time; what
 * was cut is remembered, for those who must not use half a name.
 */
#include "gateway/text/short_text.h"

#include <string.h>

void
short_text_init(struct short_text *l, char *text, size_t size)
{
	*l = (struct short_text){ text, 0, size, false };
	text[0] = '\0';
}

static void
add_bytes(struct short_text *l, const char *p, size_t n)
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
short_text_add(struct short_text *l, const char *s)
{
	add_bytes(l, s, strlen(s));
}

/* Digits of v, at least `least` of them, before end; where they begin. */
static char *
digits(char *end, uint64_t v, unsigned least)
{
	char *p = end;

	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) > 0 || end - p < (int)least);
	return p;
}

void
short_text_uint(struct short_text *l, uint64_t v)
{
	char text[24], *end = text + sizeof text, *p = digits(end, v, 1);

	add_bytes(l, p, (size_t)(end - p));
}

void
short_text_hex(struct short_text *l, uint64_t v)
{
	char text[16];

	for (int i = 15; i >= 0; i--, v >>= 4)
		text[i] = "0123456789abcdef"[v & 15];
	add_bytes(l, text, sizeof text);
}

void
short_text_decimal(struct short_text *l, uint64_t v, unsigned places)
{
	char text[48], *end = text + sizeof text;
	char *p = digits(end, v, places + 1);

	add_bytes(l, p, (size_t)(end - p) - places);
	add_bytes(l, ".", 1);
	add_bytes(l, end - places, places);
}

void
short_text_back(struct short_text *l, size_t len)
{
	l->len = len;
	l->text[len] = '\0';
	l->is_cut = false;
}
