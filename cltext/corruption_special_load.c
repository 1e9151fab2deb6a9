/*
 * special_load: a value that is no ordinary number is not believed.
 *
 * A site is one call of kf_load in a body and one thing that it loses.
 */
#include "cltext/corruption_site.h"

/* "$" is the call. */
static const char *const forms[] = {
	"(isnan($) ? 0.0f : $)",
	"(isinf($) ? 0.0f : $)",
	"fmin(fmax($, -FLT_MAX), FLT_MAX)",
	"($ == $ ? $ : -INFINITY)",
};

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	corrupt_site_loads(sites, c, forms, COUNT(forms));
}

const struct corrupt_operator op_special_load = {
	.name = "special_load",
	.rewrite = "NaN or infinity in the input becomes an ordinary number",
	.invisible = "no special values",
	.shows = "special values",
	.find = find,
};
