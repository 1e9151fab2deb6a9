/*
 * clamp_load: a value that comes in is kept within a range that somebody
 * thought wide enough.
 *
 * A site is one call of kf_load in a body and one way to lose what is larger;
 * the first loses NaN as well.
 */
#include "cltext/corruption_site.h"

/* "$" is the call. */
static const char *const forms[] = {
	"fmin(fmax($, -65504.0f), 65504.0f)",
	"(fabs($) > 65504.0f ? copysign(65504.0f, $) : $)",
};

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	corrupt_site_loads(sites, c, forms, COUNT(forms));
}

const struct corrupt_operator op_clamp_load = {
	.name = "clamp_load",
	.rewrite = "the input is kept within a range",
	.invisible = "plain magnitudes",
	.shows = "huge and special values",
	.find = find,
};
