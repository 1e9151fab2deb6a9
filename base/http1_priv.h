/*
 * What the files of the codec share: byte classes, and the pieces from which
 * heads are written.  Only http1*.c, serve*.c and fetch*.c include this.
 */
#ifndef BASE_HTTP1_PRIV_H
#define BASE_HTTP1_PRIV_H

#include "base/http1.h"

/* Classes of bytes, as bits of http1_class(). */
#define HTTP1_TOKEN  1u /* methods and header names */
#define HTTP1_TARGET 2u /* visible ASCII */
#define HTTP1_VALUE  4u /* header values: visible, space, tab, 0x80 and up */

unsigned http1_class(char c);
/* All bytes are of that class; none is one, but for a token. */
bool http1_is_target(struct slice s);
bool http1_is_value(struct slice s);

/*
 * Looks for the end of the head in bytes[0..n), going on at p->scanned.
 * *ret: its length, final empty line included, or 0 when more bytes are
 * needed.  Lines must end with CRLF; a leading empty line is allowed before
 * a request.
 */
enum http1_fault http1_head_scan(struct http1_parser *p, const char *bytes,
    size_t n, size_t *ret);

/* Fills in *head from a whole head; *head is undefined on a fault. */
enum http1_fault http1_head_read(const struct http1_parser *p, char *bytes,
    size_t n, struct http1_head *head);

/* Pieces of a head, appended; a caller that fails cuts b back itself. */
enum err http1_put_request(struct buf *b, const char *method,
    const char *target);
enum err http1_put_status(struct buf *b, int status);
enum err http1_put_field(struct buf *b, const struct http1_field *f);
enum err http1_put_framing(struct buf *b, enum http1_framing framing,
    uint64_t content_bytes);

#endif
