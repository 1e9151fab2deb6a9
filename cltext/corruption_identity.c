/*
 * identity: a maximum starts at 0, or a sum takes absolute values.
 *
 * A site is -INFINITY, -FLT_MAX or -MAXFLOAT in a body, or the right side of
 * `NAME += VALUE` where VALUE is one name.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
add_abs(const struct clcode *c, size_t i, struct corrupt_sites *sites)
{
	char *name = corrupt_code_text(c, i, i + 1);
	char *text = xasprintf("fabs(%s)", name);

	corrupt_site_tokens(sites, c, i, i + 1, text);
	free(text);
	free(name);
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const lowest[] = { "INFINITY", "FLT_MAX", "MAXFLOAT",
		"HUGE_VALF", NULL };

	for (size_t i = kernel_body(c); i + 3 < c->n; i++) {
		if (clcode_is(c, i, "-") && clcode_is_any(c, i + 1, lowest))
			corrupt_site_tokens(sites, c, i, i + 2, "0.0f");
		if (clcode_is(c, i + 1, "+=") && clcode_is_ident(c, i + 2) &&
		    clcode_is(c, i + 3, ";"))
			add_abs(c, i + 2, sites);
	}
}

const struct corrupt_operator op_identity = {
	.name = "identity",
	.rewrite = "a maximum starts at 0, or a sum takes absolute values",
	.invisible = "positive data",
	.shows = "negative data",
	.find = find,
};
