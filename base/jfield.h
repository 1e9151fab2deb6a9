/*
 * Strict JSON objects by table: a row per key with type, range and where the
 * value goes; unknown keys are refused.  Errors carry a JSON pointer, what
 * was found and what was expected.
 *
 *	static const struct jfield rule_fields[] = {
 *		{ "id", JF_STRING, JF_REQUIRED, 0, 0,
 *		    offsetof(struct rule, id), NULL },
 *		{ "status", JF_INT, 0, 100, 599,
 *		    offsetof(struct rule, status), NULL },
 *	};
 */
#ifndef BASE_JFIELD_H
#define BASE_JFIELD_H

#include "base/err.h"
#include <jansson.h>
#include <stddef.h>

enum jfield_type {
	JF_STRING, /* const char *, borrowed from the document */
	JF_INT,    /* int64_t, within min..max */
	JF_REAL,   /* double, within min..max; integers accepted */
	JF_BOOL,   /* bool */
	JF_OBJECT, /* json_t *, borrowed */
	JF_ARRAY,  /* json_t *, borrowed; min..max is the number of items */
	JF_ANY,    /* json_t *, borrowed */
	JF_ENUM,   /* int, index into names */
};

enum jfield_flags {
	JF_REQUIRED = 1,
};

struct jfield {
	const char *key;
	enum jfield_type type;
	int flags;
	double min, max;          /* both 0: no limit */
	size_t offset;            /* into the destination struct */
	const char *const *names; /* JF_ENUM: NULL-terminated */
};

/*
 * Reads obj (any JSON value) by the n rows of fields into dst.  Absent
 * optional keys leave dst as it was: fill defaults in first.
 * pointer is the JSON pointer of obj itself ("" for the root).
 * ERR_SYNTAX (not an object, wrong type, unknown or missing key) or
 * ERR_RANGE; *why names "POINTER/key: found X, expected Y"; dst untouched.
 */
enum err jfield_read(json_t *obj, const char *pointer,
    const struct jfield *fields, size_t n, void *dst, struct why *why);

/* "string \"abc\"", "integer 7", "object", ...: for messages. */
void jfield_describe(json_t *v, char *out, size_t size);

/* Parses text strictly (no duplicate keys, one value, depth capped by the
 * parser).  ERR_SYNTAX with "NAME:LINE:COLUMN: ..." in *why. */
enum err jfield_parse(const char *name, const char *text, size_t len,
    json_t **ret, struct why *why);

#endif
