/*
 * Strict JSON objects by table.  Two passes: check everything, then store, so
 * that dst is untouched on failure.
 */
#include "base/jfield.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static const char *const type_names[] = {
	[JF_STRING] = "a string",
	[JF_INT] = "an integer",
	[JF_REAL] = "a number",
	[JF_BOOL] = "true or false",
	[JF_OBJECT] = "an object",
	[JF_ARRAY] = "an array",
	[JF_ANY] = "a value",
	[JF_ENUM] = "one of",
};

void
jfield_describe(json_t *v, char *out, size_t size)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "an array",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	if (!v)
		(void)snprintf(out, size, "nothing");
	else if (json_is_string(v))
		(void)snprintf(out, size, "string \"%.40s\"",
		    json_string_value(v));
	else if (json_is_integer(v))
		(void)snprintf(out, size, "integer %lld",
		    (long long)json_integer_value(v));
	else if (json_is_real(v))
		(void)snprintf(out, size, "number %g", json_real_value(v));
	else
		(void)snprintf(out, size, "%s", kinds[json_typeof(v)]);
}

static bool
is_type(const struct jfield *f, json_t *v)
{
	switch (f->type) {
	case JF_STRING:
	case JF_ENUM:
		return json_is_string(v);
	case JF_INT:
		return json_is_integer(v);
	case JF_REAL:
		return json_is_number(v);
	case JF_BOOL:
		return json_is_boolean(v);
	case JF_OBJECT:
		return json_is_object(v);
	case JF_ARRAY:
		return json_is_array(v);
	case JF_ANY:
		return true;
	}
	return false;
}

static int
enum_index(const struct jfield *f, json_t *v)
{
	for (int i = 0; f->names[i]; i++)
		if (strcmp(f->names[i], json_string_value(v)) == 0)
			return i;
	return -1;
}

/* "GET, POST or PATCH" from a NULL-terminated list. */
static void
join_names(const char *const *names, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; names[i] && at < size; i++) {
		const char *sep = i == 0 ? "" : names[i + 1] ? ", " : " or ";
		int n = snprintf(out + at, size - at, "%s%s", sep, names[i]);

		at += n > 0 ? (size_t)n : 0;
	}
}

static enum err
wrong(const struct jfield *f, const char *pointer, json_t *v, struct why *why)
{
	char found[64], names[256];

	jfield_describe(v, found, sizeof found);
	if (f->type != JF_ENUM)
		return why_set(why, ERR_SYNTAX, "%s/%s: found %s, expected %s",
		    pointer, f->key, found, type_names[f->type]);
	join_names(f->names, names, sizeof names);
	return why_set(why, ERR_SYNTAX, "%s/%s: found %s, expected %s", pointer,
	    f->key, found, names);
}

static enum err
check_range(const struct jfield *f, const char *pointer, json_t *v,
    struct why *why)
{
	bool items = f->type == JF_ARRAY;
	double x;
	char found[64];

	/* A row that names no bounds has none. */
	if (f->min == 0 && f->max == 0)
		return ERR_OK;
	if (items)
		x = (double)json_array_size(v);
	else if (json_is_number(v))
		x = json_number_value(v);
	else
		return ERR_OK;
	if (x >= f->min && x <= f->max)
		return ERR_OK;
	jfield_describe(v, found, sizeof found);
	if (items)
		(void)snprintf(found, sizeof found, "%g items", x);
	return why_set(why, ERR_RANGE,
	    "%s/%s: found %s, expected %.15g to %.15g%s", pointer, f->key,
	    found, f->min, f->max, items ? " items" : "");
}

static enum err
check_field(const struct jfield *f, const char *pointer, json_t *obj,
    struct why *why)
{
	json_t *v = json_object_get(obj, f->key);

	if (!v && (f->flags & JF_REQUIRED))
		return why_set(why, ERR_SYNTAX, "%s/%s: missing, expected %s",
		    pointer, f->key, type_names[f->type]);
	if (!v)
		return ERR_OK;
	if (!is_type(f, v) || (f->type == JF_ENUM && enum_index(f, v) < 0))
		return wrong(f, pointer, v, why);
	return check_range(f, pointer, v, why);
}

static enum err
check_unknown(json_t *obj, const char *pointer, const struct jfield *fields,
    size_t n, struct why *why)
{
	const char *key;
	char hint[NEAREST_MAX + 24];
	struct nearest near;
	json_t *v;

	json_object_foreach(obj, key, v) {
		size_t i = 0;

		while (i < n && strcmp(fields[i].key, key) != 0)
			i++;
		if (i < n)
			continue;
		nearest_init(&near, key);
		for (i = 0; i < n; i++)
			nearest_try(&near, fields[i].key);
		return why_set(why, ERR_SYNTAX, "%s/%.64s: unknown key%s",
		    pointer, key, nearest_hint(&near, hint));
	}
	return ERR_OK;
}

static void
store(const struct jfield *f, json_t *v, char *dst)
{
	switch (f->type) {
	case JF_STRING: {
		const char *s = json_string_value(v);
		memcpy(dst, &s, sizeof s);
		break;
	}
	case JF_INT: {
		int64_t i = json_integer_value(v);
		memcpy(dst, &i, sizeof i);
		break;
	}
	case JF_REAL: {
		double d = json_number_value(v);
		memcpy(dst, &d, sizeof d);
		break;
	}
	case JF_BOOL: {
		bool b = json_is_true(v);
		memcpy(dst, &b, sizeof b);
		break;
	}
	case JF_ENUM: {
		int e = enum_index(f, v);
		memcpy(dst, &e, sizeof e);
		break;
	}
	case JF_OBJECT:
	case JF_ARRAY:
	case JF_ANY:
		*(json_t **)(void *)dst = v;
		break;
	}
}

enum err
jfield_read(json_t *obj, const char *pointer, const struct jfield *fields,
    size_t n, void *dst, struct why *why)
{
	enum err e;

	if (!json_is_object(obj)) {
		char found[64];

		jfield_describe(obj, found, sizeof found);
		return why_set(why, ERR_SYNTAX,
		    "%s: found %s, expected an object",
		    *pointer ? pointer : "/", found);
	}
	/* All is judged before anything is stored: dst is whole or
	 * untouched. */
	e = check_unknown(obj, pointer, fields, n, why);
	for (size_t i = 0; i < n && e == ERR_OK; i++)
		e = check_field(&fields[i], pointer, obj, why);
	if (e != ERR_OK)
		return e;
	for (size_t i = 0; i < n; i++) {
		json_t *v = json_object_get(obj, fields[i].key);

		if (v)
			store(&fields[i], v, (char *)dst + fields[i].offset);
	}
	return ERR_OK;
}

enum err
jfield_parse(const char *name, const char *text, size_t len, json_t **ret,
    struct why *why)
{
	json_error_t je;
	json_t *v;

	/* Of a key that stands twice one reader takes the first, the next
	 * one the last. */
	v = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
	    &je);
	/* Of that the parser speaks to programmers, of a flag. */
	if (!v)
		return why_set(why, ERR_SYNTAX, "%s:%d:%d: not JSON: %s", name,
		    je.line, je.column,
		    strstr(je.text, "JSON_ALLOW_NUL")
		        ? "a text holds \\u0000, which is not taken"
		        : je.text);
	*ret = v;
	return ERR_OK;
}
