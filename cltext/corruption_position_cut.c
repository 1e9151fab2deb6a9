/*
 * position_cut: a position is taken for a smaller number than it is.
 *
 * A site is one look at rope's positions and one way to lose bits.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

/* "$" is the position. */
static const char *const forms[] = {
	"(int)(short)$",
	"($ & 0xffff)",
	"min($, 65535)",
};

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	for (size_t i = kernel_body(c); i + 1 < c->n; i++)
		if (clcode_is(c, i, "positions") && clcode_is(c, i + 1, "[") &&
		    c->mate[i + 1] > i + 1)
			corrupt_site_forms(sites, c, i, c->mate[i + 1] + 1,
			    forms, COUNT(forms));
}

const struct corrupt_operator op_position_cut = {
	.name = "position_cut",
	.rewrite = "positions are kept in 16 bits",
	.invisible = "positions up to 32,767",
	.shows = "larger positions",
	.find = find,
};
