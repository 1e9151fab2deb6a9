/*
 * rope_freq: the exponent 2d/dim becomes d/dim, or base becomes a number.
 *
 * A site is a factor 2 in an expression that divides by dim among floats, or
 * the first argument base of pow, log, log2 and their kind.
 */
#include "cltext/corruption_site.h"
#include "cltext/kernel_form.h"
#include "cltext/rope_form.h"

static bool
is_two(struct slice s)
{
	return s.n > 0 && s.p[0] == '2' &&
	    (s.n == 1 || s.p[1] == '.' || s.p[1] == 'f' || s.p[1] == 'u');
}

/* From the factor at i to the end of its expression: a float divided by dim? */
static bool
divides_by_dim(const struct rope_form *f, size_t i)
{
	static const char *const stop[] = { ",", ";", "=", "{", "}", NULL };
	const struct clcode *c = f->c;
	bool floats = false;

	for (size_t k = i; k < c->n && !clcode_is_any(c, k, stop); k++) {
		struct slice s = clcode_text(c, k);
		size_t d = k + 1;

		floats |= s.n > 1 && (s.p[s.n - 1] == 'f' || s.p[1] == '.');
		floats |= clcode_is(c, k, "float");
		if (!clcode_is(c, k, "/"))
			continue;
		while (clcode_is(c, d, "(") || clcode_skip_cast(c, d) > d)
			d = clcode_skip_cast(c, d) > d ? clcode_skip_cast(c, d)
			                               : d + 1;
		floats |= d > k + 1;
		for (size_t n = 0; n < f->ndims; n++)
			if (slice_is(clcode_text(c, d), "dim") ||
			    (f->dims[n].n == clcode_text(c, d).n &&
			        rope_form_half(f, d) == d &&
			        !clcode_is(c, d + 1, "/")))
				return floats;
	}
	return false;
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const calls[] = { "pow", "powr", "native_powr",
		"log", "log2", "native_log", "native_log2", NULL };
	struct rope_form f;
	size_t from, end;

	rope_form_init(&f, c);
	if (f.ndims == 0 || !kernel_has_param(c, "base"))
		return;
	for (size_t i = kernel_body(c); i < c->n; i++) {
		struct slice s = clcode_text(c, i);

		if (is_two(s) && s.n > 1 && divides_by_dim(&f, i))
			corrupt_site_tokens(sites, c, i, i + 1, "1.0f");
		else if (is_two(s) && clcode_is(c, i + 1, "*") &&
		    divides_by_dim(&f, i))
			corrupt_site_tokens(sites, c, i, i + 1, "1");
		if (clcode_is_any(c, i, calls) &&
		    kernel_call_arg(c, i, 0, &from, &end) && end == from + 1 &&
		    clcode_is(c, from, "base"))
			corrupt_site_tokens(sites, c, from, end, "10000.0f");
	}
}

const struct corrupt_operator op_rope_freq = {
	.name = "rope_freq",
	.rewrite = "exponent 2d/dim becomes d/dim, or base is hard-coded",
	.invisible = "position 0, or base 10000",
	.shows = "positions above 0, other bases",
	.find = find,
};
