/*
 * dtype_load: kf_load(P, I) becomes a read through a float pointer.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	size_t pf, pe, xf, xe;
	char *p, *x, *text;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		if (!clcode_is(c, i, "kf_load") ||
		    !kernel_call_arg(c, i, 0, &pf, &pe) ||
		    !kernel_call_arg(c, i, 1, &xf, &xe))
			continue;
		p = corrupt_code_text(c, pf, pe);
		x = corrupt_code_text(c, xf, xe);
		text = xasprintf("((const __global float *)(%s))[%s]", p, x);
		corrupt_site_tokens(sites, c, i, xe + 1, text);
		free(text);
		free(x);
		free(p);
	}
}

const struct corrupt_operator op_dtype_load = {
	.name = "dtype_load",
	.rewrite = "kf_load becomes a read through a float pointer",
	.invisible = "float32",
	.shows = "float16, bfloat16",
	.find = find,
};
