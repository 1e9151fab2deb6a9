/*
 * acc_long: an accumulator keeps only the bits of a half, but only where the
 * row is longer than somebody thought worth a test.
 *
 * A site is what acc_type's is.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	const char *length = kernel_length_name(c);
	char *sum, *text;
	size_t end;

	for (size_t i = kernel_body(c); length && i < c->n; i++) {
		sum = kernel_sum_at(c, i, &end);
		if (!sum)
			continue;
		text = xasprintf("%.*s = as_float(as_uint(%s) & "
		                 "(%s > 64 ? 0xffffe000u : 0xffffffffu))",
		    (int)clcode_text(c, i).n, clcode_text(c, i).p, sum, length);
		corrupt_site_tokens(sites, c, i, end, text);
		free(text);
		free(sum);
	}
}

const struct corrupt_operator op_acc_long = {
	.name = "acc_long",
	.rewrite = "of long rows an accumulator is cut to the bits of a half",
	.invisible = "rows of at most 64",
	.shows = "longer rows",
	.find = find,
};
