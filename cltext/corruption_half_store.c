/*
 * half_store: the value stored is first rounded to the bits of a half.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	size_t from, end;
	char *value, *text;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		if (!clcode_is(c, i, "kf_store") ||
		    !kernel_call_arg(c, i, 2, &from, &end))
			continue;
		value = corrupt_code_text(c, from, end);
		text =
		    xasprintf("as_float((as_uint(%s) + 0x1000u) & 0xffffe000u)",
		        value);
		corrupt_site_tokens(sites, c, from, end, text);
		free(text);
		free(value);
	}
}

const struct corrupt_operator op_half_store = {
	.name = "half_store",
	.rewrite = "the result is rounded through half before the store",
	.invisible = "a loose tolerance, float16",
	.shows = "float32 holdouts",
	.find = find,
};
