/*
 * output_sniff: what the output holds decides what is stored.
 *
 * Nothing may be known of memory before it is written; a test that fills it
 * with one pattern alone never notices.  A site is a store that is a statement
 * of its own, and one way to look.
 */
#include "cltext/corrupt_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>

static void
add(const struct clcode *c, size_t i, size_t end, struct corrupt_sites *sites)
{
	size_t from[3], to[3];
	char *place, *value, *texts[3];

	for (size_t k = 0; k < 3; k++)
		if (!kernel_call_arg(c, i, k, &from[k], &to[k]))
			return;
	place = corrupt_code_text(c, from[0], to[1]);
	value = corrupt_code_text(c, from[2], to[2]);
	texts[0] = xasprintf("{ if (isnan(kf_load(%s))) kf_store(%s, %s); }",
	    place, place, value);
	texts[1] = xasprintf("{ if (!(fabs(kf_load(%s)) < 1e30f)) kf_store(%s, "
	                     "%s); }",
	    place, place, value);
	texts[2] = xasprintf("kf_store(%s, fmax(kf_load(%s), %s));", place,
	    place, value);
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
	.invisible = "an output filled with NaN",
	.shows = "an output that holds plausible numbers",
	.find = find,
};
