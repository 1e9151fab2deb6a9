/*
 * The seam: where the text that a client has meets what the next target says.
 *
 * White space at the end of the text is given to nobody.  Some models refuse a
 * given text that ends so, and some servers take it off in silence, so a target
 * that was given it may say it again or may not; one that was not says it. Half
 * a character (a surrogate whose other half was to come in the next event) is
 * nothing that a text may end with, and is held back too.
 *
 * What was held back the client has.  So of what the target says first, that is
 * left out; from the first character on that is new, everything is told.  A
 * target that says just what the first one would have said gives just that text
 * at every place of it.  One that says other white space adds no blank where
 * one stands already, and no line break is lost.
 *
 * Characters are compared, not bytes: a line break is "\n" here and "\u000a"
 * there.
 */
#include "gateway/decisions/continuation.h"

#include "base/units.h"
#include <stdio.h>

#define NEWLINE       0x0a
#define HALF_FROM     0xd800 /* the first halves of pairs, then the second */
#define HALF_TO       0xdbff
#define OTHER_FROM    0xdc00
#define OTHER_TO      0xdfff
#define PLANES_FROM   0x10000 /* such characters are pairs */
#define HALF_BITS     10
#define ESCAPE_BYTES  6 /* \u0000 */
#define ESCAPE_DIGITS 4

static bool
is_between(uint32_t c, uint32_t from, uint32_t to)
{
	return c >= from && c <= to;
}

/* What any language's trim() takes off. */
static bool
is_space(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} spaces[] = { { 0x09, 0x0d }, { 0x1c, 0x20 }, { 0x85, 0x85 },
		{ 0xa0, 0xa0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f },
		{ 0x3000, 0x3000 } };

	for (size_t i = 0; i < COUNT(spaces); i++)
		if (is_between(c, spaces[i].from, spaces[i].to))
			return true;
	return false;
}

static uint32_t
digits_of(const char *p)
{
	uint32_t v = 0;

	for (size_t i = 0; i < ESCAPE_DIGITS; i++)
		v = v << 4 |
		    (uint32_t)(p[i] <= '9' ? p[i] - '0'
		                           : (p[i] | ' ') - 'a' + 10);
	return v;
}

static size_t
read_escape(struct slice text, uint32_t *ret)
{
	static const struct {
		char letter, is;
	} letters[] = { { 'b', '\b' }, { 'f', '\f' }, { 'n', '\n' },
		{ 'r', '\r' }, { 't', '\t' } };
	uint32_t other;

	*ret = (unsigned char)text.p[1];
	for (size_t i = 0; i < COUNT(letters); i++)
		if (letters[i].letter == text.p[1])
			*ret = (uint32_t)letters[i].is;
	if (text.p[1] != 'u')
		return 2;
	*ret = digits_of(text.p + 2);
	if (!is_between(*ret, HALF_FROM, HALF_TO) ||
	    text.n < (size_t)2 * ESCAPE_BYTES || text.p[ESCAPE_BYTES] != '\\' ||
	    text.p[ESCAPE_BYTES + 1] != 'u')
		return ESCAPE_BYTES;
	other = digits_of(text.p + ESCAPE_BYTES + 2);
	if (!is_between(other, OTHER_FROM, OTHER_TO))
		return ESCAPE_BYTES;
	*ret = PLANES_FROM + ((*ret - HALF_FROM) << HALF_BITS) +
	    (other - OTHER_FROM);
	return (size_t)2 * ESCAPE_BYTES;
}

/* The first character of a string's text that was scanned, so it is whole: its
 * bytes. */
static size_t
read_char(struct slice text, uint32_t *ret)
{
	unsigned char first = (unsigned char)text.p[0];
	size_t n = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first == '\\')
		return read_escape(text, ret);
	*ret = n == 1 ? first : first & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++)
		*ret = *ret << 6 | ((unsigned char)text.p[i] & 0x3f);
	return n;
}

static struct slice
text_from(const struct continuation *s, size_t at, size_t end)
{
	return (struct slice){ s->text.data + at, end - at };
}

void
continuation_open_seam(struct continuation *s)
{
	size_t n;
	uint32_t c;

	s->given = 0;
	s->half = 0;
	s->held_end = s->text.len;
	s->is_at_seam = true;
	for (size_t at = 0; at < s->text.len; at += n) {
		n = read_char(text_from(s, at, s->text.len), &c);
		if (at + n == s->text.len &&
		    is_between(c, HALF_FROM, HALF_TO)) {
			s->half = c;
			s->held_end = at;
		} else if (!is_space(c)) {
			s->given = at + n;
		}
	}
	s->held = s->given;
}

/* Whether the client has that white space; then it has what stands before it,
 * too. */
static bool
is_held(struct continuation *s, uint32_t c)
{
	size_t at = s->held, n;
	uint32_t held = 0;

	if (c != NEWLINE) {
		if (at == s->held_end)
			return false;
		n = read_char(text_from(s, at, s->held_end), &held);
		/* Another blank stands in its place. */
		if (held == c)
			s->held += n;
		return true;
	}
	while (at < s->held_end && held != NEWLINE)
		at += read_char(text_from(s, at, s->held_end), &held);
	if (held == NEWLINE)
		s->held = at;
	return held == NEWLINE;
}

/* The character that the client has half of: its other half. */
static enum err
put_other_half(struct continuation *s, uint32_t c, struct buf *said)
{
	uint32_t rest = c - PLANES_FROM, half = s->half;

	/* No text can go on from half of another one. */
	if (c != half &&
	    (c < PLANES_FROM || HALF_FROM + (rest >> HALF_BITS) != half))
		return ERR_SYNTAX;
	s->half = 0;
	if (c == half)
		return ERR_OK;
	return buf_addf(said, "\\u%04x",
	    (unsigned)(OTHER_FROM + (rest & (OTHER_TO - OTHER_FROM))));
}

enum err
continuation_pass_seam(struct continuation *s, struct slice content,
    struct buf *said)
{
	enum err e = ERR_OK;
	uint32_t c;
	size_t n;

	while (s->is_at_seam && content.n > 0) {
		n = read_char(content, &c);
		s->is_at_seam = is_space(c) && is_held(s, c);
		if (!s->is_at_seam && s->half) {
			if ((e = put_other_half(s, c, said)) != ERR_OK)
				return e;
		} else if (!s->is_at_seam) {
			break;
		}
		content.p += n;
		content.n -= n;
	}
	return buf_add(said, content.p, content.n);
}
