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

static void
skip_space(struct jscan *s)
{
	while (s->p < s->end &&
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
	if (s->expects == WANT_NAME || s->expects == WANT_NAME_OR_END)
		return scan_name(s);
	return scan_value(s);
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
static unsigned
odd_of_sixteen(const char *p)
{
	__m128i w = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i quote = _mm_cmpeq_epi8(w, _mm_set1_epi8('"'));
	__m128i back = _mm_cmpeq_epi8(w, _mm_set1_epi8('\\'));
	/* Signed: 8-bit is below a space, too. */
	__m128i low = _mm_cmplt_epi8(w, _mm_set1_epi8(' '));

	return (unsigned)_mm_movemask_epi8(
	    _mm_or_si128(low, _mm_or_si128(quote, back)));
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
static void
skip_plain(struct jscan *s)
{
	uint64_t w, odd;
	unsigned bits;

	for (; s->end - s->p >= 16; s->p += 16)
		if ((bits = odd_of_sixteen(s->p))) {
			s->p += __builtin_ctz(bits);
			return;
		}
	if (s->end - s->p >= 8) {
		memcpy(&w, s->p, 8);
		odd = needs_thought(le64toh(w));
		s->p += odd ? __builtin_ctzll(odd) / 8 : 8;
	}
}

static bool
scan_string(struct jscan *s)
{
	const char *first = ++s->p;
	size_t n;

	s->escaped = false;
	for (;;) {
		skip_plain(s);
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

static enum jscan_token
scan_name(struct jscan *s)
{
	if (*s->p == '}' && s->expects == WANT_NAME_OR_END)
		return close_container(s);
	if (*s->p != '"')
		return fail(s, "a member name in quotes");
	if (!scan_string(s))
		return fail(s, "a string of valid UTF-8 with its end quote");
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
next_is(struct jscan *s, const char *set)
{
	if (s->p == s->end || *s->p == '\0' || !strchr(set, *s->p))
		return false;
	s->p++;
	return true;
}

static enum jscan_token
scan_number(struct jscan *s)
{
	const char *first = s->p;

	next_is(s, "-");
	if (!next_is(s, "0") && skip_digits(s) == 0)
		return fail(s, "a value");
	if (next_is(s, ".") && skip_digits(s) == 0)
		return fail(s, "digits");
	if (next_is(s, "eE")) {
		next_is(s, "+-");
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
