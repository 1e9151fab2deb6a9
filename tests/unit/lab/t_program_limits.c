/*
 * What the reader of a candidate's IR gives up on, and whose fault that is.
 */
#include "lab/probe/program.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>

#define KERNEL(body)                                                           \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n" body "}\n"

#define LAST                                                                   \
	"  br label %end\nend:\n"                                              \
	"  store i32 1, i32 addrspace(1)* %x\n  ret void\n"

/* What a legal kernel may lead to is its own fault; the rest is the lab's. */
#define DEEP8(a) "[1 x [1 x [1 x [1 x [1 x [1 x [1 x [1 x " a "]]]]]]]]"
#define DEEP72(a)                                                              \
	DEEP8(DEEP8(DEEP8(DEEP8(DEEP8(DEEP8(DEEP8(DEEP8(DEEP8(a)))))))))

static const struct {
	const char *what, *text;
	enum err want;
} faults[] = {
	{ "a table of gigabytes",
	    "@t = internal addrspace(2) constant <{ <{ float, "
	    "[1073741823 x float] }> }> zeroinitializer\n",
	    ERR_TOOBIG },
	{ "a table past all counting",
	    "@t = internal addrspace(2) constant [99999999999 x [9999999 x "
	    "float]] zeroinitializer\n",
	    ERR_TOOBIG },
	{ "arrays of arrays of arrays",
	    "@t = internal addrspace(2) constant " DEEP72(
	        "float") " zeroinitializer\n",
	    ERR_TOOBIG },
	{ "an array of 2^40 items",
	    KERNEL("  %a = alloca [1099511627776 x "
	           "float], align 4\n" LAST),
	    ERR_TOOBIG },
	{ "64 MB of an item",
	    KERNEL("  %a = alloca [16777217 x float], "
	           "align 4\n" LAST),
	    ERR_TOOBIG },
	{ "a long double", KERNEL("  %a = alloca fp128, align 16\n" LAST),
	    ERR_DENIED },
	{ "a number of 24 bits", KERNEL("  %a = alloca i24, align 4\n" LAST),
	    ERR_DENIED },
	{ "a structure of nothing", KERNEL("  %a = alloca {}, align 1\n" LAST),
	    ERR_DENIED },
	{ "a field of nothing",
	    KERNEL("  %a = alloca { float, [0 x float] }, align 4\n" LAST),
	    ERR_DENIED },
	{ "what nobody writes", KERNEL("  %a = alloca what, align 4\n" LAST),
	    ERR_SYNTAX },
	{ "a built-in that the machine has not",
	    KERNEL("  %c = call spir_func float @_Z5nobodyf(float 1.0)\n" LAST),
	    ERR_SYNTAX },
};

void
t_program_limits(void)
{
	for (size_t i = 0; i < COUNT(faults); i++) {
		struct program *p = NULL;
		struct why why = { "" };

		if (!CHECK_INT(prog_parse(faults[i].text, &p, &why),
		        faults[i].want, faults[i].what))
			printf("  %s\n", why.text);
		prog_free(p);
	}
}
