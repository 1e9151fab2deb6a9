/*
 * A strict pull scanner for JSON: one token a call, in one pass over bytes
 * that are all there, with nothing allocated and nothing copied.
 *
 * A proxy reads four facts of a request body and three of a stream event; a
 * tree of every body would be its largest avoidable cost.  Strictness is the
 * same as a full parser's: RFC 8259 grammar, valid UTF-8, a depth cap instead
 * of recursion.  Only names that stand twice are the caller's to find.
 */
#ifndef BASE_JSCAN_H
#define BASE_JSCAN_H

#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

#define JSCAN_DEPTH_MAX 128

enum jscan_token {
	JSCAN_END,   /* the value is complete, only space followed */
	JSCAN_ERROR, /* fault and offset say why and where */
	JSCAN_OBJECT,
	JSCAN_OBJECT_END,
	JSCAN_ARRAY,
	JSCAN_ARRAY_END,
	JSCAN_KEY,    /* text: the name without quotes; the colon is consumed */
	JSCAN_STRING, /* text: the bytes without quotes, escapes as they are */
	JSCAN_NUMBER, /* text: the digits */
	JSCAN_TRUE,
	JSCAN_FALSE,
	JSCAN_NULL,
	JSCAN_NTOKENS
};

struct jscan {
	const char *begin, *p, *end;       /* borrowed */
	const char *start;                 /* first byte of the last token */
	struct slice text;                 /* of KEY, STRING and NUMBER */
	bool escaped;                      /* text holds backslashes */
	unsigned depth;                    /* open objects and arrays */
	int expects;                       /* private */
	const char *fault;                 /* JSCAN_ERROR: what was expected */
	uint8_t in_array[JSCAN_DEPTH_MAX]; /* private */
};

void jscan_init(struct jscan *s, struct slice bytes);
enum jscan_token jscan_next(struct jscan *s);
size_t jscan_offset(const struct jscan *s); /* bytes consumed */

/* Consumes the rest of the container that was just opened. */
enum jscan_token jscan_skip(struct jscan *s);

/*
 * Undoes the escapes of a string's text into out, NUL-terminated.  False when
 * it does not fit, holds a NUL, or an escaped surrogate stands alone.
 */
bool jscan_unescape(struct slice text, char *out, size_t size);

/*
 * Where the first byte from `at` on stands that a string has to think about: a
 * quote, a backslash, a control character, 8-bit.  Near the end of s it may be
 * one that is none of them.
 */
size_t jscan_plain(struct slice s, size_t at);

/* The UTF-8 of a code point, at most 0x10ffff; returns its bytes, 1 to 4. */
size_t jscan_utf8(char out[4], uint32_t c);

#endif
