/*
 * batch_zero: the batch is dropped from a row's number.
 *
 * A site is `B * seq + S`, which becomes `S`, or a name times dim, where the
 * name is taken modulo seq.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include "cltext/rope_form.h"
#include <stdlib.h>

/* The cast in front of i, as in `(size_t)b`; i without one. */
static size_t
cast_before(const struct clcode *c, size_t i)
{
	size_t open = i > 0 && clcode_is(c, i - 1, ")") ? c->mate[i - 1] : i;

	return open < i && clcode_skip_cast(c, open) == i ? open : i;
}

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	char *name, *text;

	if (!kernel_has_param(c, "seq") || !kernel_has_param(c, "dim"))
		return;
	for (size_t i = kernel_body(c); i + 3 < c->n; i++) {
		size_t from;

		if (!clcode_is_ident(c, i) || clcode_is(c, i, "batch") ||
		    clcode_is(c, i, "seq") || !clcode_is(c, i + 1, "*"))
			continue;
		if (clcode_is(c, i + 2, "seq") && clcode_is(c, i + 3, "+")) {
			from = cast_before(c, i);
			corrupt_site_cut_on(sites, c, from, i + 4);
		} else if (clcode_is(c, i + 2, "dim")) {
			name = corrupt_code_text(c, i, i + 1);
			text = xasprintf("(%s %% seq)", name);
			corrupt_site_tokens(sites, c, i, i + 1, text);
			free(text);
			free(name);
		}
	}
}

const struct corrupt_operator op_batch_zero = {
	.name = "batch_zero",
	.rewrite = "the batch is dropped from a row's number",
	.invisible = "one batch",
	.shows = "several batches",
	.find = find,
};
