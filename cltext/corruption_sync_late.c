/*
 * sync_late: a barrier comes one statement too late.
 *
 * A site is a barrier and a statement of its own that looks at memory: the
 * two change places.  The statement stands behind it, or it is the last one
 * but the barrier of a loop: what the last round does then comes after every
 * barrier.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

/* The semicolon of the one plain statement at i; i: it is none. */
static size_t
statement_end(const struct clcode *c, size_t i)
{
	static const char *const semicolon[] = { ";", NULL };
	static const char *const others[] = { "for", "while", "do", "if",
		"else", "return", "break", "continue", "barrier", "{", "}",
		NULL };

	return clcode_is_any(c, i, others) ? i
	                                   : clcode_find(c, i, c->n, semicolon);
}

/* What only an item's own variables know waits for nobody. */
static bool
is_shared(const struct clcode *c, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (clcode_is(c, i, "["))
			return true;
	return false;
}

/* Is the brace at close the end of a `for`? */
static bool
ends_loop(const struct clcode *c, size_t close)
{
	size_t open = close < c->n ? c->mate[close] : 0;

	return clcode_is(c, close, "}") && open > 1 && open < close &&
	    clcode_is(c, open - 1, ")") && c->mate[open - 1] > 0 &&
	    clcode_is(c, c->mate[open - 1] - 1, "for");
}

/* Where the statement begins that ends in front of i; i: it is none to move a
 * barrier over. */
static size_t
statement_start(const struct clcode *c, size_t i)
{
	static const char *const edges[] = { ";", "{", "}", NULL };
	static const char *const others[] = { "for", "while", "do", "else",
		"return", "barrier", NULL };
	size_t k = i - 1;

	if (clcode_is(c, k, "}"))
		k = c->mate[k];
	while (k > 0 && !clcode_is_any(c, k - 1, edges)) {
		k--;
		if (c->mate[k] < k)
			k = c->mate[k];
	}
	return k == 0 || clcode_is_any(c, k, others) ? i : k;
}

/* The barrier at i goes to a place in front of it or behind it. */
static void
add(const struct clcode *c, size_t i, uint32_t at, struct corrupt_sites *sites)
{
	size_t close = c->mate[i + 1];
	bool is_early = at < clcode_at(c, i);
	char *call = corrupt_code_text(c, i, close + 1);
	char *text =
	    is_early ? xasprintf("%s; ", call) : xasprintf("; %s", call);
	struct corrupt_site *site = corrupt_site_new(sites, clcode_line(c, i));

	if (is_early)
		corrupt_site_edit(site, at, at, text);
	corrupt_site_edit(site, clcode_at(c, i), clcode_end(c, close), "");
	if (!is_early)
		corrupt_site_edit(site, at, at, text);
	free(text);
	free(call);
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	size_t close, end, start;

	for (size_t i = kernel_body(c); i + 1 < c->n; i++) {
		close = c->mate[i + 1];
		if (!clcode_is(c, i, "barrier") || close <= i + 1 ||
		    !clcode_is(c, close + 1, ";"))
			continue;
		end = statement_end(c, close + 2);
		start = statement_start(c, i);
		if (end > close + 2 && end < c->n &&
		    is_shared(c, close + 2, end))
			add(c, i, clcode_at(c, end), sites);
		if (start < i && ends_loop(c, close + 2) &&
		    is_shared(c, start, i))
			add(c, i, clcode_at(c, start), sites);
	}
}

const struct corrupt_operator op_sync_late = {
	.name = "sync_late",
	.rewrite = "a barrier comes one statement too late",
	.invisible = "one work item ahead of the rest, by luck",
	.shows = "race analysis, other schedules and group sizes",
	.find = find,
};
