/*
 * No tree is built and nothing is formatted by printf: a line of the decision
 * log is written for every request.
 */
#include "gateway/text/jput.h"

#include "base/decimal.h"
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static enum err
put_escaped(struct buf *b, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		return buf_addf(b, "\\%c", to[at - from]);
	return buf_addf(b, "\\u%04x", c);
}

/* None of eight bytes needs thought: none is a quote, a backslash, below a
 * space or above a tilde. */
static bool
is_plain_word(const char *p)
{
	uint64_t w, quote, back;

	memcpy(&w, p, sizeof w);
	quote = w ^ (ONES * '"');
	back = w ^ (ONES * '\\');
	return ((((w - ONES * 0x20) & ~w) | ((quote - ONES) & ~quote) |
	            ((back - ONES) & ~back) | w | (w + ONES)) &
	           HIGHS) == 0;
}

/* The same of sixteen. */
static inline bool
are_plain(const char *p)
{
#ifdef __SSE2__
	__m128i w = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i quote = _mm_cmpeq_epi8(w, _mm_set1_epi8('"'));
	__m128i back = _mm_cmpeq_epi8(w, _mm_set1_epi8('\\'));
	/* Signed: 8-bit is below a space, too. */
	__m128i low = _mm_cmplt_epi8(w, _mm_set1_epi8(' '));
	__m128i del = _mm_cmpeq_epi8(w, _mm_set1_epi8(0x7f));

	return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, back),
	           _mm_or_si128(low, del))) == 0;
#else
	return is_plain_word(p) && is_plain_word(p + 8);
#endif
}

static bool
is_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f &&
	    c != '"' && c != '\\';
}

/* Bytes from p that need no thought; 8-bit ones pass as they are. */
static size_t
plain_run(const char *p, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && is_plain_word(p + i))
		i += 8;
	while (i < n && is_plain(p[i]))
		i++;
	return i;
}

/* Length of the UTF-8 sequence at p, 0 when it is not one. */
static size_t
sequence(const unsigned char *p, size_t n)
{
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	uint32_t c = p[0] & (0xffU >> (len + 1));

	if (p[0] < 0xc2 || p[0] > 0xf4 || n < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fU);
	}
	if ((len == 3 && (c < 0x800 || (c >= 0xd800 && c <= 0xdfff))) ||
	    (len == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	return len;
}

/* Bytes from s that pass as they are: plain ones, or one sequence. */
static size_t
passing(struct slice s)
{
	size_t n = plain_run(s.p, s.n);

	if (n > 0 || (unsigned char)*s.p < 0x80)
		return n;
	return sequence((const unsigned char *)s.p, s.n);
}

enum err
jput_inside(struct buf *b, struct slice s)
{
	enum err e = ERR_OK;
	size_t n;

	while (s.n > 0 && e == ERR_OK) {
		if ((n = passing(s)) > 0)
			e = buf_add(b, s.p, n);
		else if ((unsigned char)*s.p < 0x80)
			e = put_escaped(b, (unsigned char)*s.p);
		else
			e = buf_addc(b, '?');
		n = n > 0 ? n : 1;
		s.p += n;
		s.n -= n;
	}
	return e;
}

enum err
jput_string(struct buf *b, struct slice s)
{
	enum err e = buf_addc(b, '"');

	if (e == ERR_OK)
		e = jput_inside(b, s);
	return e == ERR_OK ? buf_addc(b, '"') : e;
}

enum err
jput_put_name(struct buf *b, struct slice name)
{
	enum err e = jput_put(b, jput_literal(",\""));

	if (e == ERR_OK)
		e = buf_add(b, name.p, name.n);
	return e == ERR_OK ? buf_add(b, "\":", 2) : e;
}

enum err
jput_put_member(struct buf *b, struct slice name, struct slice text)
{
	enum err e = jput_put_name(b, name);

	return e == ERR_OK ? jput_string(b, text) : e;
}

/* Copies while it looks: nearly always nothing in it needs thought. */
enum err
jput_end_text(struct buf *b, struct slice text)
{
	char *to = buf_extend(b, text.n + 1);
	size_t i = 0;

	if (!to)
		return ERR_TOOBIG;
	for (; text.n - i >= 16 && are_plain(text.p + i); i += 16)
		memcpy(to + i, text.p + i, 16);
	if (text.n - i >= 8 && is_plain_word(text.p + i)) {
		memcpy(to + i, text.p + i, 8);
		i += 8;
	}
	/* What is left, with some bytes before it that were copied already. */
	if (i > 0 && text.n - i < 8 && is_plain_word(text.p + text.n - 8)) {
		i = text.n;
		memcpy(to + i - 8, text.p + i - 8, 8);
	}
	for (; i < text.n && is_plain(text.p[i]); i++)
		to[i] = text.p[i];
	if (i == text.n) {
		to[i] = '"';
		return ERR_OK;
	}
	b->len -= text.n + 1 - i;
	text.p += i;
	text.n -= i;
	return jput_inside(b, text) == ERR_OK ? buf_addc(b, '"') : ERR_TOOBIG;
}

enum err
jput_end_decimal(struct buf *b, uint64_t v, unsigned places)
{
	size_t n = decimal_size(v, places);
	char *to = buf_extend(b, n);

	if (!to)
		return ERR_TOOBIG;
	decimal_put(to + n, v, places);
	return ERR_OK;
}
