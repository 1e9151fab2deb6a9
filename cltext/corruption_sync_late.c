/*
 * sync_late: a barrier comes one statement too late.
 *
 * A site is a barrier in front of a statement of its own: the two change
 * places.
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

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	struct corrupt_site *site;
	size_t close, end;
	char *call, *after;

	for (size_t i = kernel_body(c); i + 1 < c->n; i++) {
		close = c->mate[i + 1];
		if (!clcode_is(c, i, "barrier") || close <= i + 1 ||
		    !clcode_is(c, close + 1, ";"))
			continue;
		end = statement_end(c, close + 2);
		if (end <= close + 2 || end >= c->n)
			continue;
		call = corrupt_code_text(c, i, close + 1);
		after = xasprintf("; %s", call);
		site = corrupt_site_new(sites, clcode_line(c, i));
		corrupt_site_edit(site, clcode_at(c, i), clcode_end(c, close),
		    "");
		corrupt_site_edit(site, clcode_at(c, end), clcode_at(c, end),
		    after);
		free(after);
		free(call);
	}
}

const struct corrupt_operator op_sync_late = {
	.name = "sync_late",
	.rewrite = "a barrier comes one statement too late",
	.invisible = "one work item ahead of the rest, by luck",
	.shows = "race analysis, other schedules and group sizes",
	.find = find,
};
