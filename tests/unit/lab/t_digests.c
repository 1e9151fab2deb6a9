/*
 * Where a program asks for digests of elements: what multiplies or turns their
 * bits and is compared, or counted with; not what moves, cuts or orders them.
 */
#include "lab/probe/condition.h"

#include "base/units.h"
#include "tests/unit.h"
#include <stdio.h>

/* Of two elements' bits, %a and %b, and the launch's %n: stores %v. */
#define KERNEL(body)                                                           \
	"@k.keys = internal addrspace(3) global [4 x i32] undef, align 4\n"    \
	"define spir_kernel void @k(float addrspace(1)* %x, "                  \
	"i32 addrspace(1)* %y, i32 %n) {\n"                                    \
	"entry:\n  %f = load float, float addrspace(1)* %x, align 4\n"         \
	"  %p = getelementptr inbounds float, float addrspace(1)* %x, "        \
	"i64 1\n"                                                              \
	"  %g = load float, float addrspace(1)* %p, align 4\n"                 \
	"  %a = bitcast float %f to i32\n  %b = bitcast float %g to i32\n"     \
	"  %q = load i32, i32 addrspace(1)* %y, align 4\n" body                \
	"  store i32 %v, i32 addrspace(1)* %y, align 4\n  ret void\n}\n"
#define MIX "  %h = mul i32 %a, 16777619\n  %i = mul i32 %b, 16777619\n"
#define IS  "  %v = zext i1 %c to i32\n"

static const struct {
	const char *what, *text;
	size_t n;
} rows[] = {
	{ "two digests", KERNEL(MIX "  %c = icmp eq i32 %h, %i\n" IS), 1 },
	{ "unlike ones", KERNEL(MIX "  %c = icmp ne i32 %h, %i\n" IS), 1 },
	{ "the larger one", KERNEL(MIX "  %c = icmp ugt i32 %h, %i\n" IS), 0 },
	{ "bits themselves", KERNEL("  %c = icmp eq i32 %a, %b\n" IS), 0 },
	{ "bits that are moved",
	    KERNEL("  %h = mul i32 %a, 65536\n  %i = lshr i32 %b, 16\n"
	           "  %c = icmp eq i32 %h, %i\n" IS),
	    0 },
	{ "a digest and a number", KERNEL(MIX "  %c = icmp eq i32 %h, 7\n" IS),
	    0 },
	{ "how two differ",
	    KERNEL(MIX "  %d = xor i32 %h, %i\n  %c = icmp eq i32 %d, 0\n" IS),
	    1 },
	{ "turned bits",
	    KERNEL("  %h = call spir_func i32 @_Z6rotatejj(i32 %a, i32 5)\n"
	           "  %c = icmp eq i32 %h, %b\n" IS),
	    1 },
	{ "one that has been in memory",
	    KERNEL(MIX "  %s = getelementptr inbounds [4 x i32], [4 x i32] "
	               "addrspace(3)* @k.keys, i64 0, i64 1\n"
	               "  store i32 %h, i32 addrspace(3)* %s, align 4\n"
	               "  %t = getelementptr inbounds [4 x i32], [4 x i32] "
	               "addrspace(3)* @k.keys, i64 0, i64 2\n"
	               "  %u = load i32, i32 addrspace(3)* %t, align 4\n"
	               "  %w = load i32, i32 addrspace(3)* %s, align 4\n"
	               "  %c = icmp eq i32 %u, %w\n" IS),
	    1 },
	{ "a float of one",
	    KERNEL(
	        MIX "  %d = uitofp i32 %h to float\n  %e = fdiv float %d, %d\n"
	            "  %v = bitcast float %e to i32\n"),
	    1 },
	{ "a float of bits",
	    KERNEL("  %d = uitofp i32 %a to float\n"
	           "  %v = fptoui float %d to i32\n"),
	    0 },
	{ "products of sizes",
	    KERNEL("  %h = mul i32 %n, 16777619\n  %i = mul i32 %n, 40503\n"
	           "  %c = icmp eq i32 %h, %i\n" IS),
	    0 },
	{ "products of positions",
	    KERNEL("  %h = mul i32 %q, 16777619\n"
	           "  %c = icmp eq i32 %h, %n\n" IS),
	    1 },
	{ "an angle",
	    KERNEL("  %h = mul i32 %q, 3\n  %d = sitofp i32 %h to float\n"
	           "  %v = fptosi float %d to i32\n"),
	    0 },
};

void t_digests(void); /* its caller is a generated table */

void
t_digests(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct program *p = NULL;
		struct why why = { "" };
		uint32_t lines[4];

		if (CHECK(prog_parse(rows[i].text, &p, &why) == ERR_OK,
		        rows[i].what))
			CHECK_INT(cond_digests(p, lines, COUNT(lines)),
			    rows[i].n, rows[i].what);
		else
			printf("  %s\n", why.text);
		prog_free(p);
	}
}
