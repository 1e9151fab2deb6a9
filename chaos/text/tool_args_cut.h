/*
 * The arguments of a tool call, piece by piece: where they can be cut, and
 * what would close them.  Pure; a few bytes of state, no recursion.
 */
#ifndef CHAOS_TOOL_ARGS_CUT_H
#define CHAOS_TOOL_ARGS_CUT_H

#include "base/buf.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

enum args_kind {
	ARGS_CUT, /* they end after `keep` bytes, or before the last brace */
	ARGS_INVALID,  /* a comma behind the first brace */
	ARGS_REPAIRED, /* cut in a string after `keep` bytes, and closed again
	                */
};

struct argscut { /* zeroed at first */
	uint64_t seen;
	uint64_t arrays; /* a bit for each open bracket: an array */
	unsigned depth;
	bool in_string, is_escaped, is_value; /* the string is no key */
	bool is_done;                         /* the rest goes away */
};

/*
 * Appends to out what is left of the next piece.  True if that is not the
 * piece itself.
 */
bool argscut_feed(struct argscut *a, enum args_kind kind, uint64_t keep,
    struct slice piece, struct buf *out);

#endif
