/*
 * stride_swap: a row stride becomes the number of columns.
 *
 * A site is one use of NAME_stride in a body: cols, or for matmul k (of a) and
 * n (of b and out), takes its place.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	const char *columns;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		columns = kernel_columns_of_stride(c, i);
		if (columns)
			corrupt_site_tokens(sites, c, i, i + 1, columns);
	}
}

const struct corrupt_operator op_stride_swap = {
	.name = "stride_swap",
	.rewrite = "a row stride becomes the number of columns",
	.invisible = "contiguous tensors",
	.shows = "strided rows",
	.find = find,
};
