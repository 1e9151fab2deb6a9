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

/*
 * Members of an open object, with a comma before each unless the object was
 * just opened.  Names are literals, so all that stands around a value is one
 * literal too: `,"name":"`, whose length is known where it is written.
 */
#define jput_member(b, name, text)                                             \
	jput_put_text((b), jput_literal(",\"" name "\":\""), slice_of(text))
#define jput_decimal(b, name, v, places)                                       \
	jput_put_decimal((b), jput_literal(",\"" name "\":"), (v), (places))
#define jput_uint(b, name, v) jput_decimal(b, name, v, 0)
#define jput_ms(b, name, us)  jput_decimal(b, name, us, 3) /* 12.345 */
#define jput_bool(b, name, v)                                                  \
	((v) ? jput_put((b), jput_literal(",\"" name "\":true"))               \
	     : jput_put((b), jput_literal(",\"" name "\":false")))
#define jput_name(b, name)                                                     \
	jput_put((b), jput_literal(",\"" name "\":")) /* that alone */

/* The same under a name that is none. */
enum err jput_put_name(struct buf *b, struct slice name); /* `"name":` alone */
enum err jput_put_member(struct buf *b, struct slice name, struct slice text);

/* What is behind an opening literal; text is escaped where it has to be. */
enum err jput_end_text(struct buf *b, struct slice text); /* and a quote */
/* v / 10^places, with all its places. */
enum err jput_end_decimal(struct buf *b, uint64_t v, unsigned places);

static inline struct slice
jput_literal(const char *open)
{
	return (struct slice){ open, strlen(open) };
}

static inline enum err
jput_put(struct buf *b, struct slice open)
{
	char before = '\0', *to;
	size_t first;

	if (b->len > 0)
		before = b->data[b->len - 1];
	first = before == '{' || before == '[';
	if (!(to = buf_extend(b, open.n - first)))
		return ERR_TOOBIG;
	/* A copy of known length, over the brace if need be, is a few moves. */
	memcpy(to - first, open.p, open.n);
	if (first)
		to[-1] = before;
	return ERR_OK;
}

static inline enum err
jput_put_text(struct buf *b, struct slice open, struct slice text)
{
	enum err e = jput_put(b, open);

	return e == ERR_OK ? jput_end_text(b, text) : e;
}

static inline enum err
jput_put_decimal(struct buf *b, struct slice open, uint64_t v, unsigned places)
{
	enum err e = jput_put(b, open);

	return e == ERR_OK ? jput_end_decimal(b, v, places) : e;
}

#endif
