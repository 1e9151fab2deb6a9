/*
 * acc_type: an accumulator keeps only the bits of a half.
 *
 * A site is `NAME += E;` where NAME is a float that starts at zero, or
 * `NAME = fma(...)`: the new value loses the thirteen bits that a half does
 * not have.  No cl_khr_fp16 is needed for that.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	size_t end;
	char *sum, *text;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		sum = kernel_sum_at(c, i, &end);
		if (!sum)
			continue;
		text = xasprintf("%.*s = as_float(as_uint(%s) & 0xffffe000u)",
		    (int)clcode_text(c, i).n, clcode_text(c, i).p, sum);
		corrupt_site_tokens(sites, c, i, end, text);
		free(text);
		free(sum);
	}
}

const struct corrupt_operator op_acc_type = {
	.name = "acc_type",
	.rewrite = "an accumulator is rounded to the bits of a half",
	.invisible = "short rows and a loose tolerance",
	.shows = "long rows",
	.find = find,
};
