/*
 * A scanner of JSON that knows strings, depth and whether a value follows.
 * Letters and digits of the value that is chosen move on by one; all else,
 * escapes and bytes beyond ASCII too, stays, so the JSON stays whole.
 */
#include "chaos/text/tool_args_wrong.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 63

static char
other(char c)
{
	static const char from[] = "0123456789"
	                           "abcdefghijklmnopqrstuvwxyz"
	                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char to[] = "1234567898"
	                         "bcdefghijklmnopqrstuvwxyza"
	                         "BCDEFGHIJKLMNOPQRSTUVWXYZA";
	const char *at = c ? strchr(from, c) : NULL;

	if (!at)
		return c;
	return to[at - from];
}

/* Within a string; true: the byte may be changed. */
static bool
step_string(struct argswrong *a, char c)
{
	if (a->skip) {
		a->skip--;
		return false;
	}
	if (a->is_escaped) {
		a->is_escaped = false;
		a->skip = c == 'u' ? 4 : 0;
		return false;
	}
	a->is_escaped = c == '\\';
	if (c == '"') {
		a->in_string = false;
		a->is_done |= a->is_changing;
	}
	return a->is_changing && c != '"' && c != '\\';
}

static void
step_structure(struct argswrong *a, char c)
{
	if (c == ':') {
		a->is_value = true;
	} else if (c == ',') {
		a->is_value = a->depth && (a->lists >> (a->depth - 1) & 1);
	} else if ((c == '{' || c == '[') && a->depth < DEPTH_MAX) {
		a->lists &= ~(1ull << a->depth);
		a->lists |= (unsigned long long)(c == '[') << a->depth++;
		a->is_value = c == '[';
	} else if ((c == '}' || c == ']') && a->depth) {
		a->depth--;
	}
}

/* Outside of strings; true: a digit of the number that is chosen. */
static bool
step(struct argswrong *a, char c)
{
	if (a->is_changing) { /* a number */
		if (isdigit((unsigned char)c))
			return true;
		a->is_done |=
		    c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E';
	}
	if (c == '"') {
		a->in_string = true;
		a->is_changing = a->is_value && !a->is_done;
	} else if (a->is_value && !a->is_done && isdigit((unsigned char)c)) {
		a->is_changing = true;
		return true;
	} else {
		step_structure(a, c);
	}
	return false;
}

bool
argswrong_feed(struct argswrong *a, char *p, size_t n)
{
	bool is_changed = false;

	for (size_t i = 0; i < n && !a->is_done; i++) {
		char c = p[i];
		bool may = a->in_string ? step_string(a, c) : step(a, c);

		if (may)
			p[i] = other(c);
		is_changed |= p[i] != c;
	}
	return is_changed;
}
