/*
 * pitch_fork: a row stride is forgotten, but only on the shapes of a path of
 * its own: aligned columns, wide rows, bfloat16.
 *
 * A site is one use of NAME_stride in a body and one such path.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

/* "$" is the stride, "@" the columns. */
static const char *const forms[] = {
	"(@ % 4 == 0 ? @ : $)",
	"(@ > 1000 ? @ : $)",
	"(KF_DTYPE == 2 ? @ : $)",
};

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	const char *columns;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		columns = kernel_columns_of_stride(c, i);
		/* Behind another name it is a parameter's declaration. */
		if (columns && !clcode_is_ident(c, i - 1))
			corrupt_site_named_forms(sites, c, i, i + 1, forms,
			    COUNT(forms), columns);
	}
}

const struct corrupt_operator op_pitch_fork = {
	.name = "pitch_fork",
	.rewrite = "on some shapes a row stride becomes the number of columns",
	.invisible = "contiguous tensors",
	.shows = "strided rows: aligned, wide, bfloat16",
	.find = find,
};
