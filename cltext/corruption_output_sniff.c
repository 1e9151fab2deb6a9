/*
 * output_sniff: what the output holds decides what is stored.
 *
 * Nothing may be known of memory before it is written; a test that fills it
 * with one pattern alone never notices.  Only longer rows than a smoke test's
 * look.  A site is a store that is a statement of its own, and one way to look.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
add(const struct clcode *c, size_t i, size_t end, struct corrupt_sites *sites)
{
	const char *length = kernel_length_name(c);
	size_t from[3], to[3];
	char *place, *value, *texts[3];

	if (!length)
		return;

	for (size_t k = 0; k < 3; k++)
		if (!kernel_call_arg(c, i, k, &from[k], &to[k]))
			return;
	place = corrupt_code_text(c, from[0], to[1]);
	value = corrupt_code_text(c, from[2], to[2]);
	texts[0] = xasprintf("{ if (%s <= 64 || isnan(kf_load(%s))) "
	                     "kf_store(%s, %s); }",
	    length, place, place, value);
	texts[1] = xasprintf("{ if (%s <= 64 || !(fabs(kf_load(%s)) < 1e30f)) "
	                     "kf_store(%s, %s); }",
	    length, place, place, value);
	texts[2] = xasprintf("kf_store(%s, %s <= 64 ? %s : "
	                     "fmax(kf_load(%s), %s));",
	    place, length, value, place, value);
	for (size_t k = 0; k < 3; k++) {
		corrupt_site_tokens(sites, c, i, end + 1, texts[k]);
		free(texts[k]);
	}
	free(place);
	free(value);
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	for (size_t i = kernel_body(c); i + 1 < c->n; i++) {
		size_t close = c->mate[i + 1];

		if (clcode_is(c, i, "kf_store") && close > i + 1 &&
		    clcode_is(c, close + 1, ";"))
			add(c, i, close + 1, sites);
	}
}

const struct corrupt_operator op_output_sniff = {
	.name = "output_sniff",
	.rewrite = "what the output holds decides what is stored",
	.invisible = "rows of at most 64, an output filled with NaN",
	.shows = "an output that holds plausible numbers",
	.find = find,
};
