/*
 * wide_fork: a path for the shapes of production does something else.
 *
 * A site is one kf_store of a body and one such path: wide aligned rows keep
 * the bits of a bfloat16, or what lies in many rows is not computed.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	const char *length = kernel_length_name(c);
	const char *rows = kernel_rows_name(c);
	/* "$" is the value, "@" the length. */
	const char *forms[] = {
		"(@ >= 1024 && @ % 8 == 0 ? as_float(as_uint($) & 0xffff0000u) "
		": $)",
		NULL,
	};
	char *many;

	if (!length || !rows)
		return;
	many = xasprintf("(%s > 65535 ? 0.0f : $)", rows);
	forms[1] = many;
	corrupt_site_stores(sites, c, forms, COUNT(forms), length);
	free(many);
}

const struct corrupt_operator op_wide_fork = {
	.name = "wide_fork",
	.rewrite = "a path for large shapes does something else",
	.invisible = "small shapes",
	.shows = "wide aligned rows, more than 65,535 rows",
	.find = find,
};
