/*
 * Short texts put together in an array of the caller's, without printf: the
 * headers and log lines of every request are made of them, and formatting
 * was a tenth of a request's cost.  What does not fit is cut; the text is
 * always NUL-terminated.
 */
#ifndef GATEWAY_SHORT_TEXT_H
#define GATEWAY_SHORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct short_text {
	char *text; /* borrowed */
	size_t len, size;
	bool is_cut;
};

void short_text_init(struct short_text *l, char *text, size_t size);
void short_text_uint(struct short_text *l, uint64_t v);
void short_text_hex(struct short_text *l, uint64_t v); /* 16 digits */
/* v / 10^places with all its places: 12345, 3 is "12.345". */
void short_text_decimal(struct short_text *l, uint64_t v, unsigned places);
/* Back to a length it had, not cut. */
void short_text_back(struct short_text *l, size_t len);

/* Inline, because most texts are literals. */
static inline void
short_text_put(struct short_text *l, const char *p, size_t n)
{
	size_t room = l->size - l->len - 1;

	if (n > room) {
		n = room;
		l->is_cut = true;
	}
	memcpy(l->text + l->len, p, n);
	l->len += n;
	l->text[l->len] = '\0';
}

static inline void
short_text_add(struct short_text *l, const char *s)
{
	short_text_put(l, s, strlen(s));
}

#endif
