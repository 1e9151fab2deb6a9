/*
 * index_cut: an index loses what lies above its 17 bits.
 *
 * A site is the index of one kf_load or kf_store that is computed there.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const calls[] = { "kf_load", "kf_store", NULL };
	static const char *const forms[] = { "($) & 0x1ffffu" };
	size_t from, end;

	for (size_t i = kernel_body(c); i < c->n; i++)
		if (clcode_is_any(c, i, calls) &&
		    kernel_call_arg(c, i, 1, &from, &end) && end > from + 1)
			corrupt_site_forms(sites, c, from, end, forms,
			    COUNT(forms));
}

const struct corrupt_operator op_index_cut = {
	.name = "index_cut",
	.rewrite = "an index is masked to 17 bits",
	.invisible = "small tensors",
	.shows = "more than 131,072 elements",
	.find = find,
};
