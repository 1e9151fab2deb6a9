/*
 * wide_fork: a path for the shapes of production does something else.
 *
 * A site is one kf_store of a body and one such path: wide aligned rows keep
 * the bits of a bfloat16, or what lies in many rows is not computed.
 */
#include "cltext/corrupt_site.h"

#include "cltext/kernel_form.h"

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	/* "$" is the value, "@" the size. */
	static const char *const wide[] = {
		"(@ >= 1024 && @ % 8 == 0 ? as_float(as_uint($) & 0xffff0000u) "
		": $)",
	};
	static const char *const many[] = { "(@ > 65535 ? 0.0f : $)" };
	const char *length = kernel_length_name(c);
	const char *rows = kernel_rows_name(c);

	if (length)
		corrupt_site_stores(sites, c, wide, COUNT(wide), length);
	if (rows)
		corrupt_site_stores(sites, c, many, COUNT(many), rows);
}

const struct corrupt_operator op_wide_fork = {
	.name = "wide_fork",
	.rewrite = "a path for large shapes does something else",
	.invisible = "small shapes",
	.shows = "wide aligned rows, more than 65,535 rows",
	.find = find,
};
