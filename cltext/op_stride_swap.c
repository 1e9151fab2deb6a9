/*
 * stride_swap: a row stride becomes the number of columns.
 *
 * A site is one use of NAME_stride in a body: cols, or for matmul k (of a) and
 * n (of b and out), takes its place.
 */
#include "cltext/corrupt_site.h"

#include "cltext/kernel_form.h"
#include <string.h>

static const char *
columns_of(const struct clcode *c, size_t stride)
{
	if (kernel_has_param(c, "cols"))
		return "cols";
	return clcode_is(c, stride, "a_stride") ? "k" : "n";
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	for (size_t i = kernel_body(c); i < c->n; i++) {
		struct slice s = clcode_text(c, i);

		if (clcode_is_ident(c, i) && s.n > 7 &&
		    memcmp(s.p + s.n - 7, "_stride", 7) == 0 &&
		    kernel_has_param(c, columns_of(c, i)))
			corrupt_site_tokens(sites, c, i, i + 1,
			    columns_of(c, i));
	}
}

const struct corrupt_operator op_stride_swap = {
	.name = "stride_swap",
	.rewrite = "a row stride becomes the number of columns",
	.invisible = "contiguous tensors",
	.shows = "strided rows",
	.find = find,
};
