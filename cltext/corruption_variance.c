/*
 * variance: the mean is not subtracted, or the sample's variance is taken.
 *
 * Both need a mean: a name that is given a value divided by cols.  A site is
 * the ` - MEAN` of a difference that is kept and squared, or the division by
 * cols that feeds `+ eps`, or whose result is kept under the name divided.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

#define NAMES_MAX 16

struct means {
	size_t at[NAMES_MAX]; /* code tokens of names */
	size_t n;
};

/* Names in `NAME = ... / cols`, other than the one divided. */
static void
find_means(const struct clcode *c, struct means *m)
{
	size_t from, end, k;

	m->n = 0;
	for (size_t i = kernel_body(c); i < c->n && m->n < NAMES_MAX; i++) {
		if (!clcode_assigns(c, i, &from, &end) ||
		    clcode_same(c, from, i))
			continue;
		for (k = from; k < end && kernel_mean_divisor(c, k) != end;)
			k++;
		if (k < end)
			m->at[m->n++] = i;
	}
}

static bool
is_mean(const struct clcode *c, const struct means *m, size_t name)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i] < name && clcode_same(c, m->at[i], name))
			return true;
	return false;
}

/* `D * D` with the name of the declaration that ends at the minus. */
static bool
is_squared(const struct clcode *c, size_t minus)
{
	size_t name = minus;

	while (name > 0 && !clcode_is(c, name, "=") && !clcode_is(c, name, ";"))
		name--;
	if (name == 0 || !clcode_is(c, name, "="))
		return false;
	for (size_t i = minus; i + 2 < c->n; i++)
		if (clcode_is(c, i + 1, "*") && clcode_same(c, i, name - 1) &&
		    clcode_same(c, i + 2, name - 1))
			return true;
	return false;
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	struct means means;
	bool mean = false;

	find_means(c, &means);
	for (size_t i = kernel_body(c); i + 1 < c->n; i++) {
		size_t past = kernel_mean_divisor(c, i);

		if (clcode_is(c, i, "-") && clcode_is_ident(c, i + 1) &&
		    is_mean(c, &means, i + 1)) {
			mean = true;
			if (is_squared(c, i))
				corrupt_site_cut_back(sites, c, i, i + 2);
		}
		if (mean && past > i &&
		    (clcode_is(c, past, "+") ||
		        (i > 2 && clcode_same(c, i - 1, i - 3))))
			corrupt_site_tokens(sites, c, i + 1, past,
			    "(float)(cols - 1)");
	}
}

const struct corrupt_operator op_variance = {
	.name = "variance",
	.rewrite = "mean not subtracted, or the sample's variance",
	.invisible = "near-zero mean, wide rows",
	.shows = "shifted data, narrow rows",
	.find = find,
};
