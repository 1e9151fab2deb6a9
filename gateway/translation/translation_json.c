/*
 * Trees that keep what jansson's cannot: half a surrogate, which some servers
 * send because an emoji fell between two chunks, and numbers as they are written:
 * beyond 64 bits, or with a fraction, which would come back as 19.989999999999998.
 * Every other reader of answers here takes them, so this one must.
 *
 * They are marked in the text before it becomes a tree, and the marks are
 * undone when a tree is written:
 *
 *	half a surrogate, NUL in a name	U+FDD0 and its four digits
 *	99999999999999999999, 0.1, -0	{"U+FDD1":"99999999999999999999"}
 *
 * Both are no characters, meant for such use; where a text has them itself they
 * are marked like half a surrogate, so no text is taken for a mark.
 */
#include "gateway/translation/translation_priv.h"

#include "base/jscan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK         "\xef\xb7\x90"
#define MARK_NUMBER  "\xef\xb7\x91"
#define MARK_BYTES   3
#define MARK_DIGITS  4
#define ESCAPE_BYTES 6         /* \u0000 */
#define INSTEAD      "\\ufffd" /* of what cannot be shown */
#define INT_DIGITS   18        /* fit in 64 bits, whichever they are */

/* ---- into a tree */

static unsigned
code_of(const char *escape)
{
	char digits[MARK_DIGITS + 1] = "";

	memcpy(digits, escape + 2, MARK_DIGITS);
	return (unsigned)strtoul(digits, NULL, 16);
}

static bool
is_half(unsigned code, unsigned from)
{
	return code >= from && code <= from + 0x3ff;
}

/* How many bytes of the escape at p a tree can have; 0: none. */
static size_t
escape_kept(const char *p, size_t n, bool is_name)
{
	unsigned code;

	if (p[1] != 'u')
		return 2;
	code = code_of(p);
	if (is_half(code, 0xd800) && n >= (size_t)2 * ESCAPE_BYTES &&
	    p[ESCAPE_BYTES] == '\\' && p[ESCAPE_BYTES + 1] == 'u' &&
	    is_half(code_of(p + ESCAPE_BYTES), 0xdc00))
		return (size_t)2 * ESCAPE_BYTES;
	if (is_half(code, 0xd800) || is_half(code, 0xdc00) || code == 0xfdd0 ||
	    code == 0xfdd1 || (code == 0 && is_name))
		return 0;
	return ESCAPE_BYTES;
}

static void
put_mark(struct buf *out, unsigned code, enum translation_of of)
{
	if (of == TRANSLATION_OF_SHOWN)
		buf_adds(out, INSTEAD);
	else
		buf_addf(out, MARK "%04x", code);
}

static bool
is_mark(const char *p, size_t n)
{
	return n >= MARK_BYTES &&
	    (memcmp(p, MARK, MARK_BYTES) == 0 ||
	        memcmp(p, MARK_NUMBER, MARK_BYTES) == 0);
}

static void
mark_text(struct slice text, bool is_name, enum translation_of of,
    struct buf *out)
{
	const char *p = text.p, *end = text.p + text.n, *from = p;

	while (p < end) {
		bool escaped = *p == '\\';
		size_t n = 1, kept = 1;

		if (escaped) {
			kept = escape_kept(p, (size_t)(end - p), is_name);
			n = kept ? kept : ESCAPE_BYTES;
		} else if (of != TRANSLATION_OF_STRING &&
		    is_mark(p, (size_t)(end - p))) {
			kept = 0;
			n = MARK_BYTES;
		}
		if (!kept) {
			buf_add(out, from, (size_t)(p - from));
			put_mark(out,
			    escaped                      ? code_of(p)
			        : p[2] == MARK_NUMBER[2] ? 0xfdd1
			                                 : 0xfdd0,
			    of);
			from = p + n;
		}
		p += n;
	}
	buf_add(out, from, (size_t)(end - from));
}

/* A tree would say it otherwise. */
static bool
is_beyond(struct slice number)
{
	return number.n > INT_DIGITS || slice_is(number, "-0") ||
	    memchr(number.p, '.', number.n) ||
	    memchr(number.p, 'e', number.n) || memchr(number.p, 'E', number.n);
}

/* False: it is no JSON. */
static bool
mark(struct slice text, enum translation_of of, struct buf *out)
{
	const char *from = text.p;
	enum jscan_token t;
	struct jscan s;

	jscan_init(&s, text);
	while ((t = jscan_next(&s)) != JSCAN_END && t != JSCAN_ERROR) {
		bool is_text = t == JSCAN_KEY || t == JSCAN_STRING;

		/* At the root it is no object, and shall not become one. */
		if (!is_text &&
		    (t != JSCAN_NUMBER || s.depth == 0 || !is_beyond(s.text)))
			continue;
		buf_add(out, from, (size_t)(s.text.p - from));
		from = s.text.p + s.text.n;
		if (is_text)
			mark_text(s.text, t == JSCAN_KEY, of, out);
		else
			buf_addf(out, "{\"" MARK_NUMBER "\":\"" SLICE_FMT "\"}",
			    SLICE_ARG(s.text));
	}
	buf_add(out, from, (size_t)(text.p + text.n - from));
	return t == JSCAN_END;
}

json_t *
translation_parse(struct slice text, enum translation_of of)
{
	size_t flags = JSON_ALLOW_NUL;
	json_t *tree = NULL;
	struct buf marked;

	if (!text.p)
		text = slice_of("");
	if (of == TRANSLATION_OF_QUESTION)
		flags |= JSON_REJECT_DUPLICATES;
	buf_init(&marked, SIZE_MAX / 2);
	if (mark(text, of, &marked))
		tree = json_loadb(marked.data, marked.len, flags, NULL);
	buf_done(&marked);
	return tree;
}

bool
translation_is_object(json_t *v)
{
	return json_is_object(v) && !json_object_get(v, MARK_NUMBER);
}

bool
translation_is_number(json_t *v)
{
	return json_is_number(v) || json_object_get(v, MARK_NUMBER);
}

double
translation_number(json_t *v)
{
	json_t *marked = json_object_get(v, MARK_NUMBER);

	return marked ? strtod(json_string_value(marked), NULL)
	              : json_number_value(v);
}

/* ---- and out of it */

static const char *
next_mark(const char *p, const char *end)
{
	while ((p = memmem(p, (size_t)(end - p), MARK, 2))) {
		if (is_mark(p, (size_t)(end - p)))
			return p;
		p += 2;
	}
	return end;
}

/* The number of the object that has the mark for its name; empty: it is none.
 */
static struct slice
number_at(const char *from, const char *p, const char *end)
{
	static const char open[] = "{\"", middle[] = "\":\"";
	const size_t before = sizeof open - 1, behind = sizeof middle - 1;
	const char *digits = p + MARK_BYTES + behind, *quote;

	if ((size_t)(p - from) < before ||
	    memcmp(p - before, open, before) != 0 || digits >= end ||
	    memcmp(p + MARK_BYTES, middle, behind) != 0)
		return (struct slice){ "", 0 };
	quote = memchr(digits, '"', (size_t)(end - digits));
	return (struct slice){ digits, quote ? (size_t)(quote - digits) : 0 };
}

/* The text of a tree, without its marks. */
static enum err
unmark(struct slice text, struct buf *out)
{
	const char *from = text.p, *end = text.p + text.n, *p;
	enum err e = ERR_OK;

	while (e == ERR_OK && (p = next_mark(from, end)) < end) {
		struct slice number = number_at(from, p, end);
		size_t n = (size_t)(p - from);

		e = buf_add(out, from, number.n > 0 ? n - 2 : n);
		from = p + MARK_BYTES;
		if (e == ERR_OK && number.n > 0) {
			e = buf_add(out, number.p, number.n);
			from = number.p + number.n + 2;
		} else if (e == ERR_OK && end - from >= MARK_DIGITS &&
		    strspn(from, "0123456789abcdef") >= MARK_DIGITS) {
			e = buf_addf(out, "\\u%.*s", MARK_DIGITS, from);
			from += MARK_DIGITS;
		} else if (e == ERR_OK) {
			e = buf_adds(out, INSTEAD); /* it was cut */
		}
	}
	return e == ERR_OK ? buf_add(out, from, (size_t)(end - from)) : e;
}

enum err
translation_put(struct buf *out, json_t *tree)
{
	char *text = json_dumps(tree, TRANSLATION_DUMP);
	enum err e = text ? unmark(slice_of(text), out) : ERR_TOOBIG;

	free(text);
	return e;
}

json_t *
translation_quoted(json_t *tree)
{
	struct buf text;
	json_t *s;

	buf_init(&text, SIZE_MAX / 2);
	(void)translation_put(&text, tree);
	s = json_stringn(text.data ? text.data : "", text.len);
	buf_done(&text);
	return s;
}

json_t *
translation_unquoted(json_t *string)
{
	struct slice text = { json_string_value(string),
		json_string_length(string) };
	json_t *tree;

	/* Some servers say the object itself. */
	if (translation_is_object(string))
		return json_incref(string);
	if (string && !json_is_null(string) && !json_is_string(string))
		return NULL;
	tree = text.n > 0 ? translation_parse(text, TRANSLATION_OF_STRING)
	                  : json_object();
	if (translation_is_object(tree))
		return tree;
	json_decref(tree);
	return NULL;
}
