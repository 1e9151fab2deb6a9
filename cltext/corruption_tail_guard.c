/*
 * tail_guard: a bounds check is widened by one, or dropped.
 *
 * A site is an `if` whose condition compares with a parameter's name (rows,
 * cols, m, n, batch, dim, ...): `>=` becomes `>`, `<` becomes `<=`; and a
 * check that only returns is taken out.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

static bool
has_size(const struct clcode *c, size_t from, size_t end)
{
	static const char *const sizes[] = { "rows", "cols", "m", "n", "batch",
		"seq", "dim", NULL };

	for (size_t i = from; i < end; i++)
		if (clcode_is_any(c, i, sizes))
			return true;
	return false;
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	for (size_t i = kernel_body(c); i + 1 < c->n; i++) {
		size_t end = c->mate[i + 1];

		if (!clcode_is(c, i, "if") || end <= i + 1 ||
		    !has_size(c, i + 1, end))
			continue;
		for (size_t k = i + 2; k < end; k++) {
			if (clcode_is(c, k, ">="))
				corrupt_site_tokens(sites, c, k, k + 1, ">");
			if (clcode_is(c, k, "<"))
				corrupt_site_tokens(sites, c, k, k + 1, "<=");
		}
		if (clcode_is(c, end + 1, "return") &&
		    clcode_is(c, end + 2, ";"))
			corrupt_site_tokens(sites, c, i, end + 3, ";");
	}
}

const struct corrupt_operator op_tail_guard = {
	.name = "tail_guard",
	.rewrite = "a bounds check is widened by one, or dropped",
	.invisible = "the size is a multiple of the work group",
	.shows = "ragged sizes: a write past the end, or into a stride gap",
	.find = find,
};
