/*
 * index_narrow: index arithmetic in 16 bits.
 *
 * A site is the index of a kf_load or kf_store that is a sum or product, or
 * the value of get_global_id.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const calls[] = { "kf_load", "kf_store", NULL };
	size_t from, end;
	char *index, *text;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		if (clcode_is(c, i, "get_global_id"))
			corrupt_site_insert(sites, c, i, "(ushort)");
		if (!clcode_is_any(c, i, calls) ||
		    !kernel_call_arg(c, i, 1, &from, &end) || end == from + 1)
			continue;
		index = corrupt_code_text(c, from, end);
		text = xasprintf("(ushort)(%s)", index);
		corrupt_site_tokens(sites, c, from, end, text);
		free(text);
		free(index);
	}
}

const struct corrupt_operator op_index_narrow = {
	.name = "index_narrow",
	.rewrite = "index arithmetic in 16 bits",
	.invisible = "small tensors",
	.shows = "more than 65,536 elements or work items",
	.find = find,
};
