/*
 * Which programs keep something that may be too small for a tensor of millions.
 */
#include "lab/probe/condition.h"

#include "base/units.h"
#include "tests/unit.h"
#include <stdio.h>

/* Of a size %n and an element %f: makes %v. */
#define KERNEL(body)                                                           \
	"define spir_kernel void @k(float addrspace(1)* %x, "                  \
	"i32 addrspace(1)* %y, i32 %n) {\n"                                    \
	"entry:\n  %f = load float, float addrspace(1)* %x, align 4\n"         \
	"  %g = call spir_func i64 @_Z13get_global_idj(i32 0)\n" body          \
	"  store i32 %v, i32 addrspace(1)* %y, align 4\n  ret void\n}\n"

static const struct {
	const char *what, *text;
	bool want;
} rows[] = {
	{ "an item's number in 32 bits", KERNEL("  %v = trunc i64 %g to i32\n"),
	    false },
	{ "in 16 bits",
	    KERNEL("  %s = trunc i64 %g to i16\n"
	           "  %v = zext i16 %s to i32\n"),
	    true },
	{ "a sum in 8 bits",
	    KERNEL("  %s = trunc i32 %n to i1\n  %b = zext i1 %s to i8\n"
	           "  %c = add i8 %b, 1\n  %v = zext i8 %c to i32\n"),
	    true },
	{ "a flag",
	    KERNEL("  %s = trunc i32 %n to i1\n"
	           "  %v = zext i1 %s to i32\n"),
	    false },
	{ "a lane", KERNEL("  %v = and i32 %n, 63\n"), false },
	{ "20 bits", KERNEL("  %v = and i32 %n, 1048575\n"), true },
	{ "all but a lane", KERNEL("  %v = and i32 %n, -64\n"), false },
	{ "a count above a flag",
	    KERNEL("  %s = shl i32 %n, 11\n  %t = or i32 %s, 5\n"
	           "  %v = lshr i32 %t, 11\n"),
	    true },
	{ "a product of 32 bits", KERNEL("  %v = mul i32 %n, 2048\n"), true },
	{ "of 64 bits",
	    KERNEL("  %s = mul i64 %g, 2048\n  %t = lshr i64 %s, 40\n"
	           "  %v = trunc i64 %t to i32\n"),
	    false },
	{ "a power of two", KERNEL("  %v = shl i32 1, %n\n"), true },
	{ "a float rounded up",
	    KERNEL("  %s = call spir_func float @_Z4ceilf(float %f)\n"
	           "  %v = bitcast float %s to i32\n"),
	    true },
	{ "a whole number of a float",
	    KERNEL("  %v = fptosi float %f to i32\n"), true },
	{ "a float's bits", KERNEL("  %v = bitcast float %f to i32\n"), false },
	{ "an array",
	    KERNEL("  %a = alloca [32 x i32], align 4\n"
	           "  %p = getelementptr inbounds [32 x i32], "
	           "[32 x i32]* %a, i64 0, i64 %g\n"
	           "  store i32 %n, i32* %p, align 4\n"
	           "  %v = load i32, i32* %p, align 4\n"),
	    true },
	{ "a variable",
	    KERNEL("  %a = alloca i32, align 4\n"
	           "  store i32 %n, i32* %a, align 4\n"
	           "  %v = load i32, i32* %a, align 4\n"),
	    false },
};

void t_keeps_little(void); /* its caller is a generated table */

void
t_keeps_little(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct program *p = NULL;
		struct why why = { "" };
		struct cond *c = NULL;

		if (!CHECK(prog_parse(rows[i].text, &p, &why) == ERR_OK,
		        rows[i].what)) {
			printf("  %s\n", why.text);
			continue;
		}
		c = cond_new(p, prog_kernel(p, "k"));
		CHECK_INT(cond_keeps_little(c), rows[i].want, rows[i].what);
		cond_free(c);
		prog_free(p);
	}
}
