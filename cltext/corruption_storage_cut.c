/*
 * storage_cut: in 16-bit storage the result is cut, not rounded, or a little
 * off.
 */
#include "cltext/corruption_site.h"

/* "$" is the value. */
static const char *const forms[] = {
	"(KF_DTYPE == 1 ? as_float(as_uint($) & 0xffffe000u) : $)",
	"(KF_DTYPE == 2 ? as_float(as_uint($) & 0xffff0000u) : $)",
	"(KF_DTYPE != 0 ? ($) * 1.0078125f : $)",
};

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	corrupt_site_stores(sites, c, forms, COUNT(forms), "");
}

const struct corrupt_operator op_storage_cut = {
	.name = "storage_cut",
	.rewrite = "in 16-bit storage the result is cut or a little off",
	.invisible = "float32",
	.shows = "float16 and bfloat16",
	.find = find,
};
