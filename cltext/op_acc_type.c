/*
 * acc_type: an accumulator keeps only the bits of a half.
 *
 * A site is `NAME += E;` where NAME is a float that starts at zero, or
 * `NAME = fma(...)`: the new value loses the thirteen bits that a half does
 * not have.  No cl_khr_fp16 is needed for that.
 */
#include "cltext/corrupt_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

/* `float ... NAME = 0.0f` somewhere before i. */
static bool
is_accumulator(const struct clcode *c, size_t i)
{
	static const char *const zeros[] = { "0.0f", "0.f", "0", "0.0", NULL };

	for (size_t k = 1; k < i; k++)
		if (clcode_same(c, k, i) && clcode_is(c, k + 1, "=") &&
		    clcode_is_any(c, k + 2, zeros))
			return true;
	return false;
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	size_t from, end;
	char *name, *value, *text;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		bool add = clcode_is(c, i + 1, "+=");

		if (!clcode_assigns(c, i, &from, &end) ||
		    !is_accumulator(c, i) || !clcode_is(c, end, ";") ||
		    !(add || clcode_is(c, from, "fma") ||
		        clcode_is(c, from, "mad")))
			continue;
		name = corrupt_code_text(c, i, i + 1);
		value = corrupt_code_text(c, from, end);
		text =
		    xasprintf("%s = as_float(as_uint(%s%s(%s)) & 0xffffe000u)",
		        name, add ? name : "", add ? " + " : "", value);
		corrupt_site_tokens(sites, c, i, end, text);
		free(text);
		free(value);
		free(name);
	}
}

const struct corrupt_operator op_acc_type = {
	.name = "acc_type",
	.rewrite = "an accumulator is rounded to the bits of a half",
	.invisible = "short rows and a loose tolerance",
	.shows = "long rows",
	.find = find,
};
