/*
 * Tool arguments that stay JSON of the same types and are not what was meant:
 * the first value that is a text or a number becomes another of the same
 * length.  Arguments may come in pieces, cut anywhere.
 */
#ifndef CHAOS_TOOL_ARGS_WRONG_H
#define CHAOS_TOOL_ARGS_WRONG_H

#include <stdbool.h>
#include <stddef.h>

struct argswrong { /* zeros at first */
	bool in_string, is_escaped, is_value, is_changing, is_done;
	unsigned depth, skip;     /* skip: hex digits of an escape */
	unsigned long long lists; /* a bit for each open list, by depth */
};

/* Changes p[0..n) in place; true: something was. */
bool argswrong_feed(struct argswrong *a, char *p, size_t n);

#endif
