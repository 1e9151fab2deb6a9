/*
 * The scanner is a small pushdown automaton: `expects` says what may come
 * next, in_array[] what the open containers are.  Strings are nearly all of
 * a chat body, so they are looked at sixteen bytes at a time, then eight; a
 * byte that needs thought (quote, backslash, control, 8-bit) drops to the slow
 * path.
 */
#include "base/jscan.h"

#include "base/units.h"
#include <endian.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum expects {
	WANT_VALUE,
	WANT_VALUE_OR_END, /* just after '[' */
	WANT_NAME,
	WANT_NAME_OR_END, /* just after '{' */
	WANT_COMMA_OR_END,
	WANT_NOTHING, /* the value is complete */
};

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static enum jscan_token scan_value(struct jscan *s);
static enum jscan_token scan_name(struct jscan *s);
static enum jscan_token scan_comma(struct jscan *s);

static enum jscan_token
fail(struct jscan *s, const char *fault)
{
	s->fault = fault;
	s->expects = WANT_NOTHING;
	s->end = s->p;
	return JSCAN_ERROR;
}

void
jscan_init(struct jscan *s, struct slice bytes)
{
	s->begin = s->p = s->start = bytes.p;
	s->end = bytes.p + bytes.n;
	s->text = (struct slice){ NULL, 0 };
	s->escaped = false;
	s->depth = 0;
	s->expects = WANT_VALUE;
	s->fault = NULL;
}

size_t
jscan_offset(const struct jscan *s)
{
	return (size_t)(s->p - s->begin);
}

static inline void
skip_space(struct jscan *s)
{
	/* Programs write none. */
	while (s->p < s->end && (unsigned char)*s->p <= ' ' &&
	    (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
		s->p++;
}

enum jscan_token
jscan_next(struct jscan *s)
{
	if (s->fault)
		return JSCAN_ERROR;
	skip_space(s);
	s->start = s->p;
	if (s->expects == WANT_COMMA_OR_END)
		return scan_comma(s);
	if (s->expects == WANT_NOTHING)
		return s->p == s->end ? JSCAN_END
		                      : fail(s, "nothing after the value");
	if (s->p == s->end)
		return fail(s, "more: the text ends here");
	return s->expects <= WANT_VALUE_OR_END ? scan_value(s) : scan_name(s);
}

enum jscan_token
jscan_skip(struct jscan *s)
{
	unsigned outside = s->depth - 1;
	enum jscan_token t;

	do
		t = jscan_next(s);
	while (t != JSCAN_ERROR && s->depth > outside);
	return t;
}

/* ---- containers */

static void
after_value(struct jscan *s)
{
	s->expects = s->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static enum jscan_token
open_container(struct jscan *s, bool array)
{
	if (s->depth == JSCAN_DEPTH_MAX)
		return fail(s, "less nesting");
	s->p++;
	s->in_array[s->depth++] = array;
	s->expects = array ? WANT_VALUE_OR_END : WANT_NAME_OR_END;
	return array ? JSCAN_ARRAY : JSCAN_OBJECT;
}

static enum jscan_token
close_container(struct jscan *s)
{
	bool array = s->in_array[s->depth - 1];

	s->p++;
	s->depth--;
	after_value(s);
	return array ? JSCAN_ARRAY_END : JSCAN_OBJECT_END;
}

static enum jscan_token
scan_comma(struct jscan *s)
{
	bool array = s->in_array[s->depth - 1];

	if (s->p == s->end)
		return fail(s, "more: the text ends here");
	if (*s->p == (array ? ']' : '}'))
		return close_container(s);
	if (*s->p != ',')
		return fail(s, array ? "',' or ']'" : "',' or '}'");
	s->p++;
	s->expects = array ? WANT_VALUE : WANT_NAME;
	skip_space(s);
	s->start = s->p;
	if (s->p == s->end)
		return fail(s, "more: the text ends here");
	return array ? scan_value(s) : scan_name(s);
}

/* ---- strings */

/* A bit is set at every byte that is a quote, a backslash, below a space or
 * 8-bit; false positives only sit above a true one, so the lowest bit tells
 * the first such byte. */
static uint64_t
needs_thought(uint64_t w)
{
	uint64_t quote = w ^ (ONES * '"'), back = w ^ (ONES * '\\');

	return (((w - ONES * 0x20) & ~w) | ((quote - ONES) & ~quote) |
	           ((back - ONES) & ~back) | w) &
	    HIGHS;
}

/* Sixteen at once: a bit for each such byte. */
#ifdef __SSE2__
static inline __m128i
odd_bytes(const char *p)
{
	__m128i w = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i quote = _mm_cmpeq_epi8(w, _mm_set1_epi8('"'));
	__m128i back = _mm_cmpeq_epi8(w, _mm_set1_epi8('\\'));
	/* Signed: 8-bit is below a space, too. */
	__m128i low = _mm_cmplt_epi8(w, _mm_set1_epi8(' '));

	return _mm_or_si128(low, _mm_or_si128(quote, back));
}

static inline unsigned
odd_of_sixteen(const char *p)
{
	return (unsigned)_mm_movemask_epi8(odd_bytes(p));
}

static inline bool
has_odd_in_64(const char *p)
{
	return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(odd_bytes(p),
	                                          odd_bytes(p + 16)),
	           _mm_or_si128(odd_bytes(p + 32), odd_bytes(p + 48)))) != 0;
}
#else
static unsigned
odd_of_sixteen(const char *p)
{
	unsigned odd = 0;

	for (unsigned i = 0; i < 16; i++)
		if (p[i] == '"' || p[i] == '\\' || (signed char)p[i] < ' ')
			odd |= 1U << i;
	return odd;
}

static bool
has_odd_in_64(const char *p)
{
	return odd_of_sixteen(p) || odd_of_sixteen(p + 16) ||
	    odd_of_sixteen(p + 32) || odd_of_sixteen(p + 48);
}
#endif

/* Bytes of the UTF-8 sequence at p, 0 when it is not one. */
static size_t
utf8_length(const unsigned char *p, size_t n)
{
	static const struct {
		unsigned char first, last, low, high; /* of the second byte */
		size_t bytes;
	} forms[] = {
		/* clang-format off */
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
		/* clang-format on */
	};
	size_t i = 0;

	while (
	    i < COUNT(forms) && (p[0] < forms[i].first || p[0] > forms[i].last))
		i++;
	if (i == COUNT(forms) || n < forms[i].bytes || p[1] < forms[i].low ||
	    p[1] > forms[i].high)
		return 0;
	for (size_t k = 2; k < forms[i].bytes; k++)
		if ((p[k] & 0xc0) != 0x80)
			return 0;
	return forms[i].bytes;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Bytes of the escape at p (a backslash), 0 when it is not one. */
static size_t
escape_length(const char *p, size_t n)
{
	if (n < 2)
		return 0;
	if (p[1] != 'u')
		return p[1] != '\0' && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
	if (n < 6)
		return 0;
	for (int i = 2; i < 6; i++)
		if (hex_value(p[i]) < 0)
			return 0;
	return 6;
}

/* One byte, escape or sequence; 0 when it may not be in a string. */
static size_t
unit_length(struct jscan *s)
{
	size_t left = (size_t)(s->end - s->p);
	unsigned char c = (unsigned char)*s->p;

	if (c == '\\') {
		s->escaped = true;
		return escape_length(s->p, left);
	}
	if (c >= 0x80)
		return utf8_length((const unsigned char *)s->p, left);
	return c >= 0x20;
}

/* On to a byte that needs thought, or less than eight before the end. */
static const char *
skip_plain(const char *p, const char *end)
{
	uint64_t w, odd;
	unsigned bits;

	for (; end - p >= 64; p += 64)
		if (has_odd_in_64(p))
			break;
	for (; end - p >= 16; p += 16)
		if ((bits = odd_of_sixteen(p)))
			return p + __builtin_ctz(bits);
	if (end - p < 8)
		return p;
	memcpy(&w, p, 8);
	odd = needs_thought(le64toh(w));
	return p + (odd ? __builtin_ctzll(odd) / 8 : 8);
}

size_t
jscan_plain(struct slice s, size_t at)
{
	return (size_t)(skip_plain(s.p + at, s.p + s.n) - s.p);
}

static bool
scan_long_string(struct jscan *s, const char *first)
{
	size_t n;

	for (;;) {
		s->p = skip_plain(s->p, s->end);
		while (s->p < s->end && *s->p != '"') {
			if ((n = unit_length(s)) == 0)
				return false;
			s->p += n;
			if (n > 1)
				break;
		}
		if (s->p >= s->end)
			return false;
		if (*s->p != '"')
			continue;
		s->text = (struct slice){ first, (size_t)(s->p - first) };
		s->p++;
		return true;
	}
}

/* Names and most values end within sixteen bytes. */
static inline bool
scan_string(struct jscan *s)
{
	const char *first = ++s->p;
	unsigned odd = s->end - first >= 16 ? odd_of_sixteen(first) : 0;
	size_t n;

	s->escaped = false;
	if (!odd || first[n = (size_t)__builtin_ctz(odd)] != '"')
		return scan_long_string(s, first);
	s->text = (struct slice){ first, n };
	s->p = first + n + 1;
	return true;
}

static enum jscan_token
scan_name(struct jscan *s)
{
	if (*s->p == '}' && s->expects == WANT_NAME_OR_END)
		return close_container(s);
	if (*s->p != '"')
		return fail(s, "a member name in quotes");
	if (!scan_string(s))
		return fail(s, "a string of valid UTF-8 with its end quote");
	if (s->p < s->end && *s->p != ':')
		skip_space(s);
	if (s->p == s->end || *s->p != ':')
		return fail(s, "':'");
	s->p++;
	s->expects = WANT_VALUE;
	return JSCAN_KEY;
}

/* ---- numbers, words, values */

static size_t
skip_digits(struct jscan *s)
{
	const char *first = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return (size_t)(s->p - first);
}

static bool
next_is(struct jscan *s, char one, char other)
{
	if (s->p == s->end || (*s->p != one && *s->p != other))
		return false;
	s->p++;
	return true;
}

static enum jscan_token
scan_number(struct jscan *s)
{
	const char *first = s->p;

	next_is(s, '-', '-');
	if (!next_is(s, '0', '0') && skip_digits(s) == 0)
		return fail(s, "a value");
	if (next_is(s, '.', '.') && skip_digits(s) == 0)
		return fail(s, "digits");
	if (next_is(s, 'e', 'E')) {
		next_is(s, '+', '-');
		if (skip_digits(s) == 0)
			return fail(s, "digits");
	}
	s->text = (struct slice){ first, (size_t)(s->p - first) };
	after_value(s);
	return JSCAN_NUMBER;
}

static enum jscan_token
scan_word(struct jscan *s, const char *word, enum jscan_token t)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return fail(s, "a value");
	s->p += n;
	after_value(s);
	return t;
}

static enum jscan_token
scan_value(struct jscan *s)
{
	switch (*s->p) {
	case '{':
		return open_container(s, false);
	case '[':
		return open_container(s, true);
	case ']':
		if (s->expects == WANT_VALUE_OR_END)
			return close_container(s);
		return fail(s, "a value");
	case '"':
		if (!scan_string(s))
			return fail(s,
			    "a string of valid UTF-8 with its end "
			    "quote");
		after_value(s);
		return JSCAN_STRING;
	case 't':
		return scan_word(s, "true", JSCAN_TRUE);
	case 'f':
		return scan_word(s, "false", JSCAN_FALSE);
	case 'n':
		return scan_word(s, "null", JSCAN_NULL);
	default:
		return scan_number(s);
	}
}

/* ---- unescape */

static unsigned
hex4(const char *p)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 4 | (unsigned)hex_value(p[i]);
	return v;
}

/* The code point of the \u escape at p; *used grows by its bytes. */
static bool
unicode_escape(const char *p, size_t n, uint32_t *ret, size_t *used)
{
	uint32_t c = hex4(p + 2), low;

	*used = 6;
	if (c >= 0xd800 && c <= 0xdbff && n >= 12 && p[6] == '\\' &&
	    p[7] == 'u') {
		low = hex4(p + 8);
		if (low < 0xdc00 || low > 0xdfff)
			return false;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		*used = 12;
	}
	*ret = c;
	return c != 0 && (c < 0xd800 || c > 0xdfff);
}

size_t
jscan_utf8(char out[4], uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

bool
jscan_unescape(struct slice text, char *out, size_t size)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	size_t used = 0, step, n;
	uint32_t c;
	char utf8[4];

	/* Nearly all names and values have none. */
	if (text.n < size && !memchr(text.p, '\\', text.n)) {
		memcpy(out, text.p, text.n);
		out[text.n] = '\0';
		return true;
	}
	for (size_t i = 0; i < text.n; i += step) {
		step = n = 1;
		utf8[0] = text.p[i];
		if (text.p[i] == '\\' && text.p[i + 1] == 'u') {
			if (!unicode_escape(text.p + i, text.n - i, &c, &step))
				return false;
			n = jscan_utf8(utf8, c);
		} else if (text.p[i] == '\\') {
			step = 2;
			utf8[0] = to[strchr(from, text.p[i + 1]) - from];
		}
		if (used + n >= size)
			return false;
		memcpy(out + used, utf8, n);
		used += n;
	}
	if (used >= size)
		return false;
	out[used] = '\0';
	return true;
}
