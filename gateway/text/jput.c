/*
 * No tree is built and nothing is formatted by printf: a line of the decision
 * log is written for every request.
 */
#include "gateway/text/jput.h"

#include "base/decimal.h"
#include <string.h>

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

/* Bytes from p that need no thought; 8-bit ones pass as they are. */
static size_t
plain_run(const char *p, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && is_plain_word(p + i))
		i += 8;
	while (i < n && (unsigned char)p[i] >= 0x20 && p[i] != '"' &&
	    p[i] != '\\' && (unsigned char)p[i] < 0x7f)
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

/* A comma, unless the object or list was just opened, and `"name":`; n bytes
 * more are the caller's to write, at what is returned.  NULL: no room. */
static char *
begin_member(struct buf *b, struct slice name, size_t n)
{
	bool first = b->len > 0 &&
	    (b->data[b->len - 1] == '{' || b->data[b->len - 1] == '[');
	char *to = buf_extend(b, name.n + 3 + !first + n);

	if (!to)
		return NULL;
	if (!first)
		*to++ = ',';
	*to++ = '"';
	memcpy(to, name.p, name.n);
	to += name.n;
	*to++ = '"';
	*to++ = ':';
	return to;
}

enum err
jput_put_name(struct buf *b, struct slice name)
{
	return begin_member(b, name, 0) ? ERR_OK : ERR_TOOBIG;
}

/* Nearly always nothing in it needs thought. */
enum err
jput_put_member(struct buf *b, struct slice name, struct slice text)
{
	char *to;

	if (plain_run(text.p, text.n) < text.n) {
		enum err e = jput_put_name(b, name);

		return e == ERR_OK ? jput_string(b, text) : e;
	}
	if (!(to = begin_member(b, name, text.n + 2)))
		return ERR_TOOBIG;
	*to++ = '"';
	if (text.n > 0)
		memcpy(to, text.p, text.n);
	to[text.n] = '"';
	return ERR_OK;
}

enum err
jput_put_decimal(struct buf *b, struct slice name, uint64_t v, unsigned places)
{
	char digits[DECIMAL_MAX], *end = digits + sizeof digits;
	const char *p = decimal_put(end, v, places);
	char *to = begin_member(b, name, (size_t)(end - p));

	if (!to)
		return ERR_TOOBIG;
	memcpy(to, p, (size_t)(end - p));
	return ERR_OK;
}

enum err
jput_put_bool(struct buf *b, struct slice name, bool v)
{
	static const struct slice words[] = { { "false", 5 }, { "true", 4 } };
	char *to = begin_member(b, name, words[v].n);

	if (!to)
		return ERR_TOOBIG;
	memcpy(to, words[v].p, words[v].n);
	return ERR_OK;
}
