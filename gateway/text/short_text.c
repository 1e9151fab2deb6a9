/*
 * Every addition ends with a NUL, so that a text may be used at any time; what
 * was cut is remembered, for those who must not use half a name.
 */
#include "gateway/text/short_text.h"

#include "base/decimal.h"
#include <endian.h>
#include <string.h>

void
short_text_init(struct short_text *l, char *text, size_t size)
{
	*l = (struct short_text){ text, 0, size, false };
	text[0] = '\0';
}

void
short_text_uint(struct short_text *l, uint64_t v)
{
	short_text_decimal(l, v, 0);
}

/* A byte each, all at once: what is written a byte a time and then copied
 * makes the processor wait. */
static uint64_t
eight_digits(uint32_t v)
{
	uint64_t w = v, letter;

	w = (w << 16 | w) & UINT64_C(0x0000ffff0000ffff);
	w = (w << 8 | w) & UINT64_C(0x00ff00ff00ff00ff);
	w = (w << 4 | w) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letter = (w + UINT64_C(0x0606060606060606)) >> 4 &
	    UINT64_C(0x0101010101010101);
	w += UINT64_C(0x3030303030303030) + letter * ('a' - '0' - 10);
	return htobe64(w);
}

void
short_text_hex(struct short_text *l, uint64_t v)
{
	uint64_t digits[2] = { eight_digits((uint32_t)(v >> 32)),
		eight_digits((uint32_t)v) };

	short_text_put(l, (const char *)digits, sizeof digits);
}

void
short_text_decimal(struct short_text *l, uint64_t v, unsigned places)
{
	char digits[DECIMAL_MAX], *end = digits + sizeof digits;
	size_t n = decimal_size(v, places);

	if (n < l->size - l->len) {
		decimal_put(l->text + l->len + n, v, places);
		l->len += n;
		l->text[l->len] = '\0';
		return;
	}
	short_text_put(l, decimal_put(end, v, places), n);
}

void
short_text_back(struct short_text *l, size_t len)
{
	l->len = len;
	l->text[len] = '\0';
	l->is_cut = false;
}
