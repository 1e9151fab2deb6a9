/*
 * size_cap: a loop over a row ends at a number of columns that somebody thought
 * enough.
 *
 * A site is a `for` whose limit is made of a row's length, and one such
 * number.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

/* "$" is the limit. */
static const char *const forms[] = {
	"(($) < 1024 ? ($) : 1024)",
	"(($) < 4096 ? ($) : 4096)",
};

static bool
has_length(const struct clcode *c, size_t from, size_t end)
{
	static const char *const lengths[] = { "cols", "k", "n", "dim", NULL };

	for (size_t k = 0; lengths[k]; k++)
		for (size_t i = from; i < end; i++)
			if (clcode_is(c, i, lengths[k]))
				return kernel_has_param(c, lengths[k]);
	return false;
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	struct kernel_loop l;

	for (size_t i = kernel_body(c); i < c->n; i++)
		if (kernel_loop_at(c, i, &l) && clcode_is(c, l.cond + 1, "<") &&
		    has_length(c, l.cond + 2, l.cond_end))
			corrupt_site_forms(sites, c, l.cond + 2, l.cond_end,
			    forms, COUNT(forms));
}

const struct corrupt_operator op_size_cap = {
	.name = "size_cap",
	.rewrite = "a row is worked on up to a fixed number of columns",
	.invisible = "shorter rows",
	.shows = "rows longer than that",
	.find = find,
};
