/*
 * reduce_tail: the last part of a reduction is skipped.
 *
 * A site is a loop up to cols or k whose body accumulates: its limit loses what
 * is left over after the last group of four.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static bool
accumulates(const struct clcode *c, size_t from, size_t end)
{
	static const char *const words[] = { "+=", "fma", "mad", "fmax", "max",
		NULL };
	bool store = false, found = false;

	for (size_t i = from; i < end; i++) {
		found |= clcode_is_any(c, i, words) || clcode_is(c, i, "?");
		store |= clcode_is(c, i, "kf_store");
	}
	return found && !store;
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const limits[] = { "cols", "k", NULL };
	struct kernel_loop l;
	char *name, *text;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		if (!kernel_loop_at(c, i, &l) || l.cond_end != l.cond + 3 ||
		    !clcode_is(c, l.cond + 1, "<") ||
		    !clcode_is_any(c, l.cond + 2, limits) ||
		    !accumulates(c, l.body, l.body_end))
			continue;
		name = corrupt_code_text(c, l.cond + 2, l.cond + 3);
		text = xasprintf("%s / 4 * 4", name);
		corrupt_site_tokens(sites, c, l.cond + 2, l.cond + 3, text);
		free(text);
		free(name);
	}
}

const struct corrupt_operator op_reduce_tail = {
	.name = "reduce_tail",
	.rewrite = "the last part of a reduction is skipped",
	.invisible = "rows of a multiple of four",
	.shows = "odd rows",
	.find = find,
};
