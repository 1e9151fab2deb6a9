/*
 * softmax_shift: the row's maximum is not subtracted.
 *
 * A site is a name M that two or more calls exp(E - M) subtract; all of them
 * lose it at once, or numerator and denominator would not fit.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

#define NAMES_MAX 16

/* `exp(E - M)` at i: the token of the minus, else 0. */
static size_t
shift_at(const struct clcode *c, size_t i)
{
	static const char *const calls[] = { "exp", "native_exp", "exp2",
		NULL };
	size_t from, end;

	if (!clcode_is_any(c, i, calls) ||
	    !kernel_call_arg(c, i, 0, &from, &end) || end < from + 3 ||
	    !clcode_is(c, end - 2, "-") || !clcode_is_ident(c, end - 1))
		return 0;
	return end - 2;
}

static void
add_site(const struct clcode *c, size_t first, struct corrupt_sites *sites)
{
	struct corrupt_site *site =
	    corrupt_site_new(sites, clcode_line(c, first));

	for (size_t i = 0; i < c->n; i++) {
		size_t minus = shift_at(c, i);

		if (minus && clcode_same(c, minus + 1, first + 1))
			corrupt_site_edit(site, clcode_end(c, minus - 1),
			    clcode_end(c, minus + 1), "");
	}
	/* One exponential alone may be of another sum, where nothing has to
	 * fit. */
	if (site->nedits < 2)
		corrupt_site_drop(sites);
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	size_t seen[NAMES_MAX], nseen = 0, k;

	for (size_t i = kernel_body(c); i < c->n && nseen < NAMES_MAX; i++) {
		size_t minus = shift_at(c, i);

		if (!minus)
			continue;
		for (k = 0; k < nseen && !clcode_same(c, seen[k], minus + 1);)
			k++;
		if (k < nseen)
			continue;
		seen[nseen++] = minus + 1;
		add_site(c, minus, sites);
	}
}

const struct corrupt_operator op_softmax_shift = {
	.name = "softmax_shift",
	.rewrite = "the row's maximum is not subtracted",
	.invisible = "small magnitudes",
	.shows = "large magnitudes, data with an offset",
	.find = find,
};
