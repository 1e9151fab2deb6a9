/*
 * JSON written straight into a buffer, for the lines that are written on
 * every request.  Strings come out as valid JSON whatever bytes they hold:
 * control bytes are escaped, and bytes that are not UTF-8 become '?'.
 */
#ifndef GATEWAY_JPUT_H
#define GATEWAY_JPUT_H

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

enum err jput_string(struct buf *b, struct slice s); /* with its quotes */
enum err jput_inside(struct buf *b, struct slice s); /* without */

/* Members of an open object: `"name":value`, with a comma before it unless
 * the object was just opened. */
enum err jput_put_member(struct buf *b, struct slice name, struct slice text);
/* v / 10^places, with all its places. */
enum err jput_put_decimal(struct buf *b, struct slice name, uint64_t v,
    unsigned places);
enum err jput_put_bool(struct buf *b, struct slice name, bool v);
enum err jput_put_name(struct buf *b, struct slice name);

/* Names are nearly always literals, whose length is known where they stand. */

static inline struct slice
jput_literal(const char *name)
{
	return (struct slice){ name, strlen(name) };
}

static inline enum err
jput_member(struct buf *b, const char *name, const char *text)
{
	return jput_put_member(b, jput_literal(name), slice_of(text));
}

static inline enum err
jput_uint(struct buf *b, const char *name, uint64_t v)
{
	return jput_put_decimal(b, jput_literal(name), v, 0);
}

static inline enum err
jput_bool(struct buf *b, const char *name, bool v)
{
	return jput_put_bool(b, jput_literal(name), v);
}

static inline enum err
jput_decimal(struct buf *b, const char *name, uint64_t v, unsigned places)
{
	return jput_put_decimal(b, jput_literal(name), v, places);
}

static inline enum err
jput_ms(struct buf *b, const char *name, uint64_t us) /* 12.345 */
{
	return jput_put_decimal(b, jput_literal(name), us, 3);
}

static inline enum err
jput_name(struct buf *b, const char *name) /* `"name":` alone */
{
	return jput_put_name(b, jput_literal(name));
}

#endif
