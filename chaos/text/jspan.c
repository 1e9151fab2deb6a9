/*
 * A value's end is found by counting brackets outside strings.  That accepts
 * some documents that are not JSON; whoever edits a document by these spans
 * has parsed it before, or does not care.
 */
#include "chaos/text/jspan.h"

#include <stdlib.h>
#include <string.h>

#include "base/jscan.h"
#include "base/mem.h"

#define TEXT_MAX     UINT32_MAX
#define POINTER_MAX  512
#define SURROGATE_HI 0xd800u
#define SURROGATE_LO 0xdc00u
#define ASTRAL       0x10000u

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What no number or word holds. */
static bool
is_mark(char c)
{
	return c == ',' || c == ':' || c == '}' || c == ']' || c == '[' ||
	    c == '{' || c == '"';
}

size_t
jspan_skip_space(struct slice t, size_t at)
{
	while (at < t.n && is_space(t.p[at]))
		at++;
	return at;
}

/* at: an opening quote.  The offset after the closing one, 0 if none. */
static size_t
skip_string(struct slice t, size_t at)
{
	for (at++; at < t.n && (at = jscan_plain(t, at)) < t.n;) {
		if (t.p[at] == '"')
			return at + 1;
		at += t.p[at] == '\\' ? 2 : 1;
	}
	return 0;
}

static size_t
skip_scalar(struct slice t, size_t at)
{
	size_t from = at;

	while (at < t.n && !is_space(t.p[at]) && !is_mark(t.p[at]))
		at++;
	return at > from ? at : 0;
}

static size_t
skip_container(struct slice t, size_t at)
{
	size_t depth = 0;

	while (at < t.n) {
		char c = t.p[at];

		if (c == '"') {
			at = skip_string(t, at);
			if (at == 0)
				return 0;
			continue;
		}
		at++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return at;
	}
	return 0;
}

bool
jspan_is_pointer(const char *s)
{
	if (s[0] != '/')
		return false;
	while ((s = strchr(s, '~')) && (s[1] == '0' || s[1] == '1'))
		s++;
	return s == NULL;
}

/* One part of a pointer at *p, decoded ("~1" is "/", "~0" is "~"). */
static bool
pointer_part(const char **p, char **out, const char *end)
{
	const char *at = *p + 1;

	for (; *at && *at != '/'; at++) {
		char c = *at;

		if (c == '~' && (at[1] == '0' || at[1] == '1'))
			c = *++at == '0' ? '~' : '/';
		if (*out + 1 >= end)
			return false;
		*(*out)++ = c;
	}
	*(*out)++ = '\0';
	*p = at;
	return true;
}

bool
jspan_pointer(struct slice text, const char *pointer, struct jspan *ret)
{
	const char *path[JSPAN_DEPTH];
	char parts[POINTER_MAX], *out = parts;
	size_t n = 0;

	while (*pointer == '/') {
		if (n == JSPAN_DEPTH)
			return false;
		path[n++] = out;
		if (!pointer_part(&pointer, &out, parts + sizeof parts))
			return false;
	}
	return *pointer == '\0' && jspan_find(text, path, n, ret);
}

bool
jspan_value(struct slice text, size_t at, struct jspan *ret)
{
	size_t end;

	at = jspan_skip_space(text, at);
	if (at >= text.n)
		return false;
	if (text.p[at] == '"')
		end = skip_string(text, at);
	else if (text.p[at] == '{' || text.p[at] == '[')
		end = skip_container(text, at);
	else
		end = skip_scalar(text, at);
	if (end == 0)
		return false;
	*ret = (struct jspan){ at, end - at };
	return true;
}

bool
jspan_is_key(struct slice text, struct jspan s, const char *key)
{
	size_t n = strlen(key);

	return s.n == n + 2 && text.p[s.at] == '"' &&
	    memcmp(text.p + s.at + 1, key, n) == 0;
}

/* The member of the container at `at` that key names; one step of a path. */
static bool
find_member(struct slice t, size_t at, const char *key, struct jspan *ret)
{
	bool is_object = t.p[at] == '{';
	size_t index = 0, wanted = is_object ? 0 : strtoul(key, NULL, 10);
	struct jspan name, value;

	if (!is_object && t.p[at] != '[')
		return false;
	for (at++; jspan_value(t, at, &value); index++) {
		bool is_it = index == wanted;

		if (is_object) {
			name = value;
			at = jspan_skip_space(t, name.at + name.n);
			if (at >= t.n || t.p[at] != ':' ||
			    !jspan_value(t, at + 1, &value))
				return false;
			is_it = jspan_is_key(t, name, key);
		}
		if (is_it) {
			*ret = value;
			return true;
		}
		at = jspan_skip_space(t, value.at + value.n);
		if (at >= t.n || t.p[at] != ',')
			return false;
		at++;
	}
	return false;
}

bool
jspan_find(struct slice text, const char *const *path, size_t npath,
    struct jspan *ret)
{
	struct jspan here;

	if (!jspan_value(text, 0, &here))
		return false;
	for (size_t i = 0; i < npath; i++)
		if (!find_member(text, here.at, path[i], &here))
			return false;
	*ret = here;
	return true;
}

/* ---- decoding */

static bool
read_hex4(struct slice t, size_t at, uint32_t *ret)
{
	uint32_t v = 0;

	if (at + 4 > t.n)
		return false;
	for (size_t i = at; i < at + 4; i++) {
		char c = t.p[i];

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v << 4 | (uint32_t)((c | 32) - 'a' + 10);
		else
			return false;
	}
	*ret = v;
	return true;
}

/* "\uXXXX", or two of them for one character; bytes used, 0 when bad. */
static size_t
read_unicode(struct slice t, size_t at, uint32_t *ret)
{
	uint32_t hi, lo;

	/* U+0000 could not be told from the end of the text. */
	if (!read_hex4(t, at + 2, &hi) || hi == 0)
		return 0;
	if (hi < SURROGATE_HI || hi >= 0xe000) {
		*ret = hi;
		return 6;
	}
	/* Half a pair is no character; json_loadb() refuses it too, so nobody
	 * downstream has read such a text. */
	if (hi >= SURROGATE_LO || at + 12 > t.n || t.p[at + 6] != '\\' ||
	    t.p[at + 7] != 'u' || !read_hex4(t, at + 8, &lo) ||
	    lo < SURROGATE_LO || lo >= 0xe000)
		return 0;
	*ret = ASTRAL + ((hi - SURROGATE_HI) << 10) + (lo - SURROGATE_LO);
	return 12;
}

/* One escape at the backslash t.p[at]; raw bytes used, 0 when bad. */
static size_t
read_escape(struct slice t, size_t at, char out[4], size_t *nout)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;
	uint32_t code = 0;
	size_t used;

	if (at + 1 >= t.n || t.p[at + 1] == '\0')
		return 0;
	if (t.p[at + 1] == 'u') {
		used = read_unicode(t, at, &code);
		*nout = used ? jscan_utf8(out, code) : 0;
		return used;
	}
	hit = strchr(from, t.p[at + 1]);
	if (!hit)
		return 0;
	out[0] = to[hit - from];
	*nout = 1;
	return 2;
}

enum err
jtext_read(struct slice text, struct jspan span, struct jtext *ret)
{
	struct jtext j;
	size_t at = span.at + 1, end = span.at + span.n - 1, used, n;
	struct slice body = { text.p, end };

	if (span.n < 2 || text.n > TEXT_MAX || text.p[span.at] != '"')
		return ERR_SYNTAX;
	j.p = xmalloc(span.n);
	j.at = xreallocarray(NULL, span.n, sizeof *j.at);
	for (j.n = 0; at < end; at += used) {
		char out[4] = { 0 };

		for (n = jscan_plain(body, at); at < n; at++) {
			j.p[j.n] = text.p[at];
			j.at[j.n++] = (uint32_t)at;
		}
		if (at == end)
			break;
		out[0] = text.p[at];
		used = n = 1;
		if (text.p[at] == '\\')
			used = read_escape(body, at, out, &n);
		if (used == 0 || out[0] == '\0') {
			jtext_done(&j);
			return ERR_SYNTAX;
		}
		for (size_t i = 0; i < n; i++) {
			j.p[j.n] = out[i];
			j.at[j.n++] = (uint32_t)at;
		}
	}
	j.p[j.n] = '\0';
	j.at[j.n] = (uint32_t)end;
	*ret = j;
	return ERR_OK;
}

void
jtext_done(struct jtext *t)
{
	if (!t)
		return;
	free(t->p);
	free(t->at);
	t->p = NULL;
	t->at = NULL;
	t->n = 0;
}

enum err
jspan_escape(struct buf *b, struct slice text)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	enum err e = ERR_OK;

	for (size_t i = 0, n; i < text.n && e == ERR_OK; i++) {
		const char *hit;
		char c;

		n = jscan_plain(text, i) - i;
		e = buf_add(b, text.p + i, n);
		if ((i += n) == text.n || e != ERR_OK)
			break;
		c = text.p[i];
		hit = c ? strchr(from, c) : NULL;
		if (hit)
			e = buf_addf(b, "\\%c", to[hit - from]);
		else if ((unsigned char)c < 0x20)
			e = buf_addf(b, "\\u%04x", (unsigned)c);
		else
			e = buf_addc(b, c);
	}
	return e;
}
