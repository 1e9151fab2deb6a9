/*
 * clamp_store: the value stored is kept within a range that somebody thought
 * wide enough.
 */
#include "cltext/corruption_site.h"

/* "$" is the value. */
static const char *const forms[] = {
	"fmin(fmax($, -65504.0f), 65504.0f)",
	"(fabs($) > 1e6f ? copysign(1e6f, $) : $)",
	"(isinf($) ? copysign(FLT_MAX, $) : $)",
};

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	corrupt_site_stores(sites, c, forms, COUNT(forms), "");
}

const struct corrupt_operator op_clamp_store = {
	.name = "clamp_store",
	.rewrite = "the result is kept within a range",
	.invisible = "plain magnitudes",
	.shows = "huge and special values",
	.find = find,
};
