/*
 * Short texts put together in an array of the caller's, without printf: the
 * headers and log lines of every request are made of them, and formatting
 * was a tenth of a request's cost.  What does not fit is cut; the text is
 * always NUL-terminated.
 */
#ifndef GATEWAY_LINE_H
#define GATEWAY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
	char *text; /* borrowed */
	size_t len, size;
	bool is_cut;
};

void line_init(struct line *l, char *text, size_t size);
void line_add(struct line *l, const char *s);
void line_uint(struct line *l, uint64_t v);
void line_hex(struct line *l, uint64_t v); /* 16 digits */
/* v / 10^places with all its places: 12345, 3 is "12.345". */
void line_decimal(struct line *l, uint64_t v, unsigned places);
/* Back to a length it had, not cut. */
void line_back(struct line *l, size_t len);

#endif
