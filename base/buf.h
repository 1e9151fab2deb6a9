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
#include <string.h>

struct buf {
	char *data; /* owned */
	size_t len;
	size_t size;      /* allocated */
	size_t max_bytes; /* the cap on len */
};

void buf_init(struct buf *b, size_t max_bytes);
void buf_done(struct buf *b);  /* frees; NULL-safe; back to empty, cap kept */
void buf_clear(struct buf *b); /* len 0, memory kept */
/* The same with another cap, for one that is used again and again: no more
 * memory is kept than what most uses need. */
void buf_reuse(struct buf *b, size_t max_bytes);

/* ERR_TOOBIG when the cap would be passed; the buffer is then unchanged. */
enum err buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for n more bytes and the NUL; ERR_TOOBIG as above. */
enum err buf_reserve(struct buf *b, size_t n);

/* Removes the first n bytes (n at most len). */
void buf_drop(struct buf *b, size_t n);

/* Hands the NUL-terminated bytes over (never NULL) and empties the buffer. */
char *buf_take(struct buf *b);

/* What adds bytes is inline because everything that is said goes through it,
 * most of it literals, whose length is known here. */

/* n more bytes at the end, to be written by the caller at once; NULL when the
 * cap would be passed. */
static inline char *
buf_extend(struct buf *b, size_t n)
{
	/* What is allocated is within the cap. */
	if (n >= b->size - b->len && buf_reserve(b, n) != ERR_OK)
		return NULL;
	/* Where there is room there is memory; an analyzer cannot know. */
	if (!b->data)
		__builtin_unreachable();
	b->len += n;
	b->data[b->len] = '\0';
	return b->data + b->len - n;
}

/* ERR_TOOBIG as above. */
static inline enum err
buf_add(struct buf *b, const void *p, size_t n)
{
	char *to = buf_extend(b, n);

	if (!to)
		return ERR_TOOBIG;
	if (n > 0)
		memcpy(to, p, n);
	return ERR_OK;
}

static inline enum err
buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

static inline enum err
buf_addc(struct buf *b, char c)
{
	char *to = buf_extend(b, 1);

	if (!to)
		return ERR_TOOBIG;
	*to = c;
	return ERR_OK;
}

#endif
