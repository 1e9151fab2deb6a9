/*
 * eps_place: eps leaves the root, is dropped, or is another number.
 *
 * A site is `sqrt(E + eps)` or `rsqrt(E + eps)`: eps dropped, eps 1e-6; for
 * sqrt also `sqrt(E) + eps`, in parentheses, as it may be divided by.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
add_outside(const struct clcode *c, size_t i, size_t plus,
    struct corrupt_sites *sites)
{
	char *inner = corrupt_code_text(c, i + 2, plus);
	char *text = xasprintf("(sqrt(%s) + eps)", inner);

	corrupt_site_tokens(sites, c, i, plus + 3, text);
	free(text);
	free(inner);
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const roots[] = { "sqrt", "rsqrt", "native_sqrt",
		"native_rsqrt", "half_rsqrt", NULL };
	size_t from, end, plus;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		if (!clcode_is_any(c, i, roots) ||
		    !kernel_call_arg(c, i, 0, &from, &end) || end < from + 3)
			continue;
		plus = end - 2;
		if (!clcode_is(c, plus, "+") || !clcode_is(c, plus + 1, "eps"))
			continue;
		if (clcode_is(c, i, "sqrt"))
			add_outside(c, i, plus, sites);
		corrupt_site_cut_back(sites, c, plus, end);
		corrupt_site_tokens(sites, c, plus + 1, end, "1e-6f");
	}
}

const struct corrupt_operator op_eps_place = {
	.name = "eps_place",
	.rewrite = "eps outside the root, dropped, or another value",
	.invisible = "normal magnitudes",
	.shows = "tiny magnitudes, other eps",
	.find = find,
};
