/*
 * The capped buffer.  Growth doubles, so adding n bytes one by one costs
 * O(n); the allocation never passes the cap by more than the NUL.
 */
#include "base/buf.h"

#include "base/mem.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST 256
#define BUF_KEPT  65536

void
buf_init(struct buf *b, size_t max_bytes)
{
	*b = (struct buf){ .max_bytes = max_bytes };
}

void
buf_done(struct buf *b)
{
	if (!b)
		return;
	free(b->data);
	buf_init(b, b->max_bytes);
}

void
buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void
buf_reuse(struct buf *b, size_t max_bytes)
{
	if (b->size > BUF_KEPT || b->size > max_bytes)
		buf_done(b);
	b->max_bytes = max_bytes;
	buf_clear(b);
}

/* And the NUL. */
enum err
buf_reserve(struct buf *b, size_t n)
{
	size_t want, size;

	if (n < b->size - b->len)
		return ERR_OK;
	if (n > b->max_bytes || b->len > b->max_bytes - n)
		return ERR_TOOBIG;
	want = b->len + n + 1;
	size = b->size ? b->size : BUF_FIRST;
	while (size < want)
		size = size > SIZE_MAX / 2 ? want : size * 2;
	if (size > b->max_bytes + 1)
		size = b->max_bytes + 1;
	b->data = xreallocarray(b->data, size, 1);
	b->size = size;
	return ERR_OK;
}

enum err
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	enum err e;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	e = n < 0 ? ERR_SYNTAX : buf_reserve(b, (size_t)n);
	if (e == ERR_OK) {
		(void)vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
	return e;
}

void
buf_drop(struct buf *b, size_t n)
{
	if (n == 0)
		return;
	b->len -= n;
	memmove(b->data, b->data + n, b->len + 1);
}

char *
buf_take(struct buf *b)
{
	char *data = b->data ? b->data : xstrdup("");

	buf_init(b, b->max_bytes);
	return data;
}
