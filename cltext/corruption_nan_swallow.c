/*
 * nan_swallow: the half of a comparison that keeps a NaN is lost.
 *
 * A site is `isnan(X) ||`, `X != X ||`, or `X < Y ? Y : X`, which a NaN passes
 * through and `X > Y ? X : Y` does not.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
turn_around(const struct clcode *c, size_t i, struct corrupt_sites *sites)
{
	char *x = corrupt_code_text(c, i, i + 1);
	char *y = corrupt_code_text(c, i + 2, i + 3);
	char *text = xasprintf("%s > %s ? %s : %s", x, y, x, y);

	corrupt_site_tokens(sites, c, i, i + 7, text);
	free(text);
	free(y);
	free(x);
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	for (size_t i = kernel_body(c); i + 3 < c->n; i++) {
		size_t close = c->mate[i + 1];

		if (clcode_is(c, i, "isnan") && clcode_is(c, close + 1, "||"))
			corrupt_site_cut_on(sites, c, i, close + 2);
		if (clcode_is_ident(c, i) && clcode_is(c, i + 1, "!=") &&
		    clcode_same(c, i, i + 2) && clcode_is(c, i + 3, "||"))
			corrupt_site_cut_on(sites, c, i, i + 4);
		if (clcode_is_ident(c, i) && clcode_is(c, i + 1, "<") &&
		    clcode_is(c, i + 3, "?") && clcode_same(c, i + 4, i + 2) &&
		    clcode_is(c, i + 5, ":") && clcode_same(c, i + 6, i))
			turn_around(c, i, sites);
	}
}

const struct corrupt_operator op_nan_swallow = {
	.name = "nan_swallow",
	.rewrite = "a comparison form that loses NaN",
	.invisible = "no special values",
	.shows = "special values",
	.find = find,
};
