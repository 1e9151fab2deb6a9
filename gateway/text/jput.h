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
enum err jput_member(struct buf *b, const char *name, const char *text);
enum err jput_uint(struct buf *b, const char *name, uint64_t v);
enum err jput_bool(struct buf *b, const char *name, bool v);
/* v / 10^places, with all its places. */
enum err jput_decimal(struct buf *b, const char *name, uint64_t v,
    unsigned places);
enum err jput_ms(struct buf *b, const char *name, uint64_t us); /* 12.345 */
enum err jput_name(struct buf *b, const char *name); /* `"name":` alone */

#endif
