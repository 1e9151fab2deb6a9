/*
 * A scanner of JSON that knows only what it needs: strings, depth, and
 * whether a string is a value.
 */
#include "chaos/text/tool_args_cut.h"

#define DEPTH_MAX 64

/* Moves over one byte. */
static void
step(struct argscut *a, char c)
{
	a->seen++;
	if (a->is_escaped) {
		a->is_escaped = false;
	} else if (a->in_string) {
		a->is_escaped = c == '\\';
		a->in_string = c != '"';
	} else if (c == '"') {
		a->in_string = true;
	} else if (c == ':') {
		/* Cutting inside a member's name would leave a name without a
		 * value; only values are cut. */
		a->is_value = true;
	} else if (c == ',') {
		a->is_value = a->depth && (a->arrays >> (a->depth - 1) & 1);
	} else if ((c == '{' || c == '[') && a->depth < DEPTH_MAX) {
		a->arrays &= ~(UINT64_C(1) << a->depth);
		a->arrays |= (uint64_t)(c == '[') << a->depth++;
		a->is_value = c == '[';
	} else if ((c == '}' || c == ']') && a->depth) {
		a->depth--;
	}
}

/* May the arguments end before byte c? */
static bool
can_cut(const struct argscut *a, enum args_kind kind, uint64_t keep, char c)
{
	/* Short arguments lose at least their last bracket: a cut that keeps
	 * all of them would be none. */
	if (kind == ARGS_CUT && c == '}' && a->depth == 1 && !a->in_string)
		return true;
	if (a->seen < keep || ((unsigned char)c & 0xc0) == 0x80)
		return false;
	return kind == ARGS_CUT ||
	    (a->in_string && a->is_value && !a->is_escaped && c != '"' &&
	        c != '\\');
}

static void
close_all(struct argscut *a, struct buf *out)
{
	/* It is only closed inside a text, so the quote comes first. */
	buf_addc(out, '"');
	while (a->depth-- > 0)
		buf_addc(out, a->arrays >> a->depth & 1 ? ']' : '}');
}

static bool
feed_invalid(struct argscut *a, struct slice piece, struct buf *out)
{
	bool was_done = a->is_done;

	for (size_t i = 0; i < piece.n; i++) {
		buf_addc(out, piece.p[i]);
		if (!a->is_done && piece.p[i] == '{') {
			buf_addc(out, ',');
			a->is_done = true;
		}
	}
	return a->is_done && !was_done;
}

bool
argscut_feed(struct argscut *a, enum args_kind kind, uint64_t keep,
    struct slice piece, struct buf *out)
{
	if (kind == ARGS_INVALID)
		return feed_invalid(a, piece, out);
	for (size_t i = 0; i < piece.n && !a->is_done; i++) {
		a->is_done = can_cut(a, kind, keep, piece.p[i]);
		if (!a->is_done) {
			step(a, piece.p[i]);
			buf_addc(out, piece.p[i]);
		} else if (kind == ARGS_REPAIRED) {
			close_all(a, out);
		}
	}
	return a->is_done;
}
