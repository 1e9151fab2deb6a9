/*
 * A growable byte buffer born with its cap.  Embedded by value; a zeroed
 * struct buf has no cap and refuses everything, so init it.
 *
 * The bytes are always followed by a NUL that is not counted in len, so a
 * buffer of text can be printed as it is.  data is NULL until the first add.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/err.h"
#include <stddef.h>

struct buf {
	char *data; /* owned */
	size_t len;
	size_t size;      /* allocated */
	size_t max_bytes; /* the cap on len */
};

void buf_init(struct buf *b, size_t max_bytes);
void buf_done(struct buf *b);  /* frees; NULL-safe; back to empty, cap kept */
void buf_clear(struct buf *b); /* len 0, memory kept */

/* ERR_TOOBIG when the cap would be passed; the buffer is then unchanged. */
enum err buf_add(struct buf *b, const void *p, size_t n);
enum err buf_adds(struct buf *b, const char *s);
enum err buf_addc(struct buf *b, char c);
enum err buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for n more bytes, at once; ERR_TOOBIG as above. */
enum err buf_reserve(struct buf *b, size_t n);

/* n more bytes at the end, to be written by the caller at once; NULL when the
 * cap would be passed. */
char *buf_extend(struct buf *b, size_t n);

/* Removes the first n bytes (n at most len). */
void buf_drop(struct buf *b, size_t n);

/* Hands the NUL-terminated bytes over (never NULL) and empties the buffer. */
char *buf_take(struct buf *b);

#endif
