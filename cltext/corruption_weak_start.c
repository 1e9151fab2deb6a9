/*
 * weak_start: a maximum starts at a number that somebody thought low enough.
 *
 * A site is one -INFINITY (or its like) in a body and one such number.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

static const char *const forms[] = { "-1e30f", "-65504.0f", "-1000.0f" };

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const lowest[] = { "INFINITY", "FLT_MAX", "MAXFLOAT",
		"HUGE_VALF", NULL };

	for (size_t i = kernel_body(c); i + 1 < c->n; i++)
		if (clcode_is(c, i, "-") && clcode_is_any(c, i + 1, lowest))
			corrupt_site_forms(sites, c, i, i + 2, forms,
			    COUNT(forms));
}

const struct corrupt_operator op_weak_start = {
	.name = "weak_start",
	.rewrite = "a maximum starts at a number",
	.invisible = "values above it",
	.shows = "rows of smaller values, or of -infinity",
	.find = find,
};
