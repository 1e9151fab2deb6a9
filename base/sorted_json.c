/*
 * Members stand in text in the order in which they came and in the list in
 * that of their keys.  Texts and whole numbers, which nearly all values are,
 * are written here; what is left is jansson's.
 */
#include "base/sorted_json.h"

#include "base/decimal.h"
#include "base/jscan.h"
#include "base/mem.h"
#include <stdlib.h>

#define DUMP_FLAGS (JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY)

void
sorted_json_init(struct sorted_json *s, size_t max_bytes)
{
	*s = (struct sorted_json){ .e = ERR_OK };
	buf_init(&s->text, max_bytes);
}

void
sorted_json_done(struct sorted_json *s)
{
	buf_done(&s->text);
	free(s->members);
	s->members = NULL;
	s->n = s->size = 0;
}

void
sorted_json_clear(struct sorted_json *s)
{
	buf_clear(&s->text);
	s->n = 0;
	s->e = ERR_OK;
}

/* ---- values */

static enum err
put_escaped(struct buf *b, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		return buf_addf(b, "\\%c", to[at - from]);
	return buf_addf(b, "\\u%04X", c);
}

static bool
is_plain(char c)
{
	return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

/* What jansson holds is UTF-8 already. */
static enum err
put_string(struct buf *b, struct slice s)
{
	enum err e = buf_addc(b, '"');

	while (s.n > 0 && e == ERR_OK) {
		size_t n = jscan_plain(s, 0);

		while (n < s.n && is_plain(s.p[n]))
			n++;
		e = buf_add(b, s.p, n);
		if (e == ERR_OK && n < s.n)
			e = put_escaped(b, (unsigned char)s.p[n++]);
		s.p += n;
		s.n -= n;
	}
	return e == ERR_OK ? buf_addc(b, '"') : e;
}

static enum err
put_integer(struct buf *b, json_int_t v)
{
	char digits[DECIMAL_MAX], *end = digits + sizeof digits;
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char *from = decimal_put(end, size, 0);

	if (v < 0)
		*--from = '-';
	return buf_add(b, from, (size_t)(end - from));
}

static enum err
put_other(struct buf *b, json_t *v)
{
	char *text = json_dumps(v, DUMP_FLAGS);
	enum err e = text ? buf_adds(b, text) : ERR_SYNTAX;

	free(text);
	return e;
}

static enum err
put_value(struct buf *b, json_t *v)
{
	if (json_is_string(v))
		return put_string(b,
		    (struct slice){ json_string_value(v),
		        json_string_length(v) });
	if (json_is_integer(v))
		return put_integer(b, json_integer_value(v));
	return put_other(b, v);
}

/* ---- members */

static struct sorted_member *
make_place(struct sorted_json *s, const char *key)
{
	size_t i = s->n;

	if (s->n == s->size) {
		s->size = s->size ? 2 * s->size : 16;
		s->members =
		    xreallocarray(s->members, s->size, sizeof *s->members);
	}
	for (; i > 0 && strcmp(s->members[i - 1].key, key) > 0; i--)
		s->members[i] = s->members[i - 1];
	s->n++;
	return &s->members[i];
}

void
sorted_json_add(struct sorted_json *s, const char *key, json_t *value)
{
	size_t at = s->text.len;
	enum err e = put_string(&s->text, slice_of(key));

	if (e == ERR_OK)
		e = buf_addc(&s->text, ':');
	if (e == ERR_OK)
		e = put_value(&s->text, value);
	if (e != ERR_OK) {
		s->text.len = at;
		s->e = ERR_TOOBIG;
		return;
	}
	*make_place(s, key) =
	    (struct sorted_member){ key, at, s->text.len - at };
}

void
sorted_json_add_all(struct sorted_json *s, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
		sorted_json_add(s, key, value);
}

static bool
is_in(const char *const *list, const char *key)
{
	for (; *list; list++)
		if (strcmp(*list, key) == 0)
			return true;
	return false;
}

enum err
sorted_json_put(const struct sorted_json *s, const char *const *without,
    struct buf *out)
{
	enum err e = s->e;

	buf_clear(out);
	if (e == ERR_OK)
		e = buf_addc(out, '{');
	for (size_t i = 0; i < s->n && e == ERR_OK; i++) {
		const struct sorted_member *m = &s->members[i];

		if (is_in(without, m->key))
			continue;
		if (out->len > 1)
			e = buf_addc(out, ',');
		if (e == ERR_OK)
			e = buf_add(out, s->text.data + m->at, m->n);
	}
	return e == ERR_OK ? buf_addc(out, '}') : e;
}
