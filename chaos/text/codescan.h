/*
 * Reads a model's answer byte by byte as it grows: where code begins, where
 * each statement of it ends, and where the code is over.  The code stands in
 * a fence, or escaped in the JSON member "source".  Comments, strings and
 * directives are no code.  Pure; each byte is read once.
 */
#ifndef CHAOS_CODESCAN_H
#define CHAOS_CODESCAN_H

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum codescan_step {
	SCAN_NOTHING,
	SCAN_STATEMENT, /* one is over: a ';', '{' or '}' */
	SCAN_FUNCTION,  /* the same, and a function with it */
	SCAN_OVER,      /* the code is over */
};

struct codescan {
	size_t statement; /* where the one that is read begins */
	bool is_code, in_body;

	/* private */
	int place;   /* before the code: what is expected next */
	int lexeme;  /* in it: a comment, a string, ... */
	char last;   /* the character before */
	int escaped; /* characters of a JSON escape that are still to come */
	bool is_json, is_line_start, skips_next;
	unsigned depth, parens;
};

/* Reads content[at]; bytes are given in their order. */
enum codescan_step codescan_read(struct codescan *s, struct slice content,
    size_t at);

#endif
