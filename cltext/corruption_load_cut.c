/*
 * load_cut: a value that comes in loses bits on the way.
 *
 * A site is one call of kf_load in a body and one way to lose them: float32
 * goes through a half, or bfloat16 loses its last bit.  Values of float16 stay
 * what they are.
 */
#include "cltext/corruption_site.h"

/* "$" is the call. */
static const char *const forms[] = {
	"as_float(as_uint($) & 0xffffe000u)",
	"(KF_DTYPE == 2 ? as_float(as_uint($) & 0xfffe0000u) : $)",
};

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	corrupt_site_loads(sites, c, forms, COUNT(forms));
}

const struct corrupt_operator op_load_cut = {
	.name = "load_cut",
	.rewrite = "the input is cut to fewer bits",
	.invisible = "a loose tolerance, float16",
	.shows = "float32 or bfloat16",
	.find = find,
};
