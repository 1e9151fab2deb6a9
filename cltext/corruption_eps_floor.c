/*
 * eps_floor: an eps smaller than the usual ones is not believed.
 *
 * A site is one use of eps in a body.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const forms[] = { "fmax($, 1e-6f)" };

	if (!kernel_has_param(c, "eps"))
		return;
	for (size_t i = kernel_body(c); i < c->n; i++)
		/* Behind another name it is a parameter's declaration. */
		if (clcode_is(c, i, "eps") && !clcode_is_ident(c, i - 1))
			corrupt_site_forms(sites, c, i, i + 1, forms,
			    COUNT(forms));
}

const struct corrupt_operator op_eps_floor = {
	.name = "eps_floor",
	.rewrite = "eps is at least 1e-6",
	.invisible = "the usual eps",
	.shows = "a small eps, tiny magnitudes",
	.find = find,
};
