/*
 * gelu_tanh: erf(z) becomes tanh of the polynomial that approximates gelu.
 *
 * With z = x / sqrt 2 the usual 0.7978845608 (x + 0.044715 x^3) reads
 * 1.1283792 z (1 + 0.08943 z^2).
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	size_t from, end;
	char *z, *text;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		if (!clcode_is(c, i, "erf") ||
		    !kernel_call_arg(c, i, 0, &from, &end))
			continue;
		z = corrupt_code_text(c, from, end);
		text = xasprintf("tanh(1.1283792f * (%s) * (1.0f + 0.08943f * "
		                 "(%s) * (%s)))",
		    z, z, z);
		corrupt_site_tokens(sites, c, i, end + 1, text);
		free(text);
		free(z);
	}
}

const struct corrupt_operator op_gelu_tanh = {
	.name = "gelu_tanh",
	.rewrite = "the erf form becomes the tanh approximation",
	.invisible = "a loose look at small x",
	.shows = "a tight comparison, x around 2",
	.find = find,
};
