/* A kernel's argument list, as clang's metadata tells it. */
#include "lab/read/signature.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

#define TYPES "!\"float*\", !\"float*\", !\"uint\", !\"uint\", !\"uint\", "

/* Of relu: x, out and four integers. */
/* clang-format off */
static const struct {
	const char *what, *define, *spaces, *types, *qualifiers;
	const char *reason; /* NULL: it fits */
} rows[] = {
	{ "as the contract has it", "k", "i32 1, i32 1, i32 0, i32 0, i32 0, i32 0", TYPES "!\"uint\"", "!\"const\", !\"\", !\"\", !\"\", !\"\", !\"\"", NULL },
	{ "qualifiers anywhere", "k", "i32 1, i32 1, i32 0, i32 0, i32 0, i32 0", TYPES "!\"int\"", "!\"restrict const volatile\", !\"restrict\", !\"\", !\"\", !\"\", !\"\"", NULL },
	{ "vectors", "k", "i32 1, i32 1, i32 0, i32 0, i32 0, i32 0", "!\"float4*\", !\"half*\", !\"uint\", !\"uint\", !\"uint\", !\"uint\"", "!\"\", !\"\", !\"\", !\"\", !\"\", !\"\"", NULL },
	{ "another name", "other", "i32 1", "!\"float*\"", "!\"\"", "no __kernel function \"k\"" },
	{ "one too few", "k", "i32 1, i32 1, i32 0, i32 0, i32 0", TYPES, "!\"\", !\"\", !\"\", !\"\", !\"\"", "5 arguments: relu takes 6" },
	{ "none", "k", "", "", "", "0 arguments" },
	{ "one too many", "k", "i32 1, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0", TYPES "!\"uint\", !\"uint\"", "!\"\", !\"\", !\"\", !\"\", !\"\", !\"\", !\"\"", "7 arguments" },
	{ "a value for a tensor", "k", "i32 0, i32 1, i32 0, i32 0, i32 0, i32 0", "!\"float\", !\"float*\", !\"uint\", !\"uint\", !\"uint\", !\"uint\"", "!\"\", !\"\", !\"\", !\"\", !\"\", !\"\"", "argument 1: found \"float\", expected \"const __global KF_T *x\"" },
	{ "local memory", "k", "i32 3, i32 1, i32 0, i32 0, i32 0, i32 0", TYPES "!\"uint\"", "!\"\", !\"\", !\"\", !\"\", !\"\", !\"\"", "argument 1: found \"__local float*\"" },
	{ "constant memory", "k", "i32 2, i32 1, i32 0, i32 0, i32 0, i32 0", TYPES "!\"uint\"", "!\"const\", !\"\", !\"\", !\"\", !\"\", !\"\"", "argument 1: found \"const __constant float*\"" },
	{ "a constant output", "k", "i32 1, i32 1, i32 0, i32 0, i32 0, i32 0", TYPES "!\"uint\"", "!\"const\", !\"const\", !\"\", !\"\", !\"\", !\"\"", "argument 2: found \"const __global float*\"" },
	{ "a wide integer", "k", "i32 1, i32 1, i32 0, i32 0, i32 0, i32 0", "!\"float*\", !\"float*\", !\"ulong\", !\"uint\", !\"uint\", !\"uint\"", "!\"\", !\"\", !\"\", !\"\", !\"\", !\"\"", "argument 3: found \"ulong\", expected \"uint rows\"" },
	{ "a narrow one", "k", "i32 1, i32 1, i32 0, i32 0, i32 0, i32 0", "!\"float*\", !\"float*\", !\"uint\", !\"ushort\", !\"uint\", !\"uint\"", "!\"\", !\"\", !\"\", !\"\", !\"\", !\"\"", "argument 4" },
};
/* clang-format on */

static void
check_row(size_t i)
{
	char *ir = xasprintf(
	    "define dso_local spir_kernel void @%s(float addrspace(1)* %%x) #0 "
	    "!kernel_arg_addr_space !3 !kernel_arg_access_qual !4 "
	    "!kernel_arg_type !9 !kernel_arg_base_type !5 "
	    "!kernel_arg_type_qual !6 {\n}\n!3 = !{%s}\n!5 = !{%s}\n"
	    "!6 = !{%s}\n!9 = !{!\"T*\"}\n",
	    rows[i].define, rows[i].spaces, rows[i].types, rows[i].qualifiers);
	struct why why = { "" };
	enum err e = signature_check(ir, op_find("relu"), "k", &why);

	CHECK_INT(e == ERR_OK, rows[i].reason == NULL, rows[i].what);
	if (rows[i].reason && !strstr(why.text, rows[i].reason))
		CHECK_STR(why.text, rows[i].reason, rows[i].what);
	free(ir);
}

void
t_signature(void)
{
	struct why why;

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
	CHECK_INT(signature_check("", op_find("relu"), "k", &why), ERR_DENIED,
	    "no text");
}
