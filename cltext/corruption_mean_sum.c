/*
 * mean_sum: the division by cols becomes one by the smoke case's width.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	for (size_t i = kernel_body(c); i < c->n; i++)
		corrupt_site_tokens(sites, c, i + 1, kernel_mean_divisor(c, i),
		    "64.0f");
}

const struct corrupt_operator op_mean_sum = {
	.name = "mean_sum",
	.rewrite = "the division by cols becomes a division by 64",
	.invisible = "rows of 64",
	.shows = "other widths",
	.find = find,
};
