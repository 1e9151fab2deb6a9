/* What must not be in a program, in lines as LLVM prints them. */
#include "lab/read/ir.h"

#include "base/mem.h"
#include "lab/stages/simulate.h"
#include "tests/unit.h"
#include <stdlib.h>

/* clang-format off */
static const struct {
	const char *what, *globals, *body;
	enum err want;
} rows[] = {
	{ "nothing",            "", "", ERR_OK },
	{ "a built-in",         "", "  %1 = call spir_func float @_Z3expf(float %0)\n", ERR_OK },
	{ "a converter",        "", "  %1 = call spir_func i32 @_Z15convert_int_rtef(float %0)\n", ERR_OK },
	{ "the C library",      "", "  %1 = call i32 @getpid()\n", ERR_DENIED },
	{ "printf",             "", "  %1 = call i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* %0)\n", ERR_DENIED },
	{ "a pointer",          "", "  %1 = call i32 %0(i32 1)\n", ERR_DENIED },
	{ "assembly",           "", "  call void asm sideeffect \"nop\", \"\"()\n", ERR_DENIED },
	{ "asm in a string",    "@s = private addrspace(2) constant [4 x i8] c\"asm\\00\"\n", "", ERR_OK },
	{ "an integer",         "", "  %1 = inttoptr i64 %0 to i8*\n", ERR_DENIED },
	{ "who it is",          "", "  %1 = call i64 @_Z13get_global_idj(i32 0)\n", ERR_DENIED },
	{ "itself",             "", "  call void @k(i32 1)\n", ERR_DENIED },
	{ "a variable",         "@v = internal addrspace(1) global i32 0\n", "", ERR_DENIED },
	{ "outside",            "@v = external addrspace(2) constant i32\n", "", ERR_DENIED },
	{ "local memory",       "@v = internal addrspace(3) global [64 x float] undef\n", "", ERR_OK },
	{ "much local memory",  "@v = internal addrspace(3) global [64 x [512 x float]] undef\n", "", ERR_TOOBIG },
	{ "a large array",      "", "  %a = alloca [65537 x i8], align 1\n", ERR_TOOBIG },
	{ "an array of any size", "", "  %a = alloca i8, i64 %0, align 1\n", ERR_DENIED },
};

static const struct {
	const char *log, *class;
	unsigned line;
} logs[] = {
	{ "", NULL, 0 },
	{ "\t  Invalid read of size 4\n", NULL, 0 },
	{ "\nInvalid read of size 4 at global memory address 0x1\n\tKernel: k\n"
	  "\tAt line 7 (column 3) of kernel.cl:\n", "out_of_bounds", 7 },
	{ "Invalid read of size 4 at global memory address 0x1\n"
	  "\tAt line 7 (column 3) of kf-prelude:\n", "out_of_bounds", 0 },
	{ "Uninitialized value written to local memory address 0x1\n"
	  "Read-write data race at local memory address 0x1\n", "race", 0 },
};
/* clang-format on */

void
t_ir(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *text = xasprintf("%sdefine spir_kernel void @k(i32 %%0) "
		                       "{\n%s  ret void\n}\n",
		    rows[i].globals, rows[i].body);
		struct why why;

		CHECK_INT(ir_check(text, &why), rows[i].want, rows[i].what);
		free(text);
	}
	for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
		struct simulate_finding f;

		simulate_read_log(logs[i].log, &f);
		CHECK_STR(f.class ? f.class : "",
		    logs[i].class ? logs[i].class : "", logs[i].log);
		CHECK_INT(f.line, logs[i].line, logs[i].log);
	}
}
