/* What must not be in a program, in lines as LLVM prints them. */
#include "lab/read/ir_gate.h"

#include "base/mem.h"
#include "lab/stages/oclgrind_run.h"
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
	{ "a family's name",    "", "  %1 = call spir_func float @_Z9vload_foof(float %0)\n", ERR_DENIED },
	{ "a family's conversion", "", "  %1 = call spir_func float @_Z11convert_foof(float %0)\n", ERR_DENIED },
	{ "four elements",      "", "  %1 = call spir_func <4 x float> @_Z6vload4mPU3AS1Kf(i64 0, float addrspace(1)* %0)\n", ERR_OK },
	{ "halves",             "", "  call spir_func void @_Z15vstore_half_rtefmPU3AS1Dh(float %0, i64 0, half addrspace(1)* %1)\n", ERR_OK },
	{ "the C library",      "", "  %1 = call i32 @getpid()\n", ERR_DENIED },
	{ "printf",             "", "  %1 = call i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* %0)\n", ERR_DENIED },
	{ "a pointer",          "", "  %1 = call i32 %0(i32 1)\n", ERR_DENIED },
	{ "assembly",           "", "  call void asm sideeffect \"nop\", \"\"()\n", ERR_DENIED },
	{ "asm in a string",    "@s = private addrspace(2) constant [4 x i8] c\"asm\\00\"\n", "", ERR_OK },
	{ "an integer",         "", "  %1 = inttoptr i64 %0 to i8*\n", ERR_DENIED },
	{ "who it is",          "", "  %1 = call i64 @_Z13get_global_idj(i32 0)\n", ERR_OK },
	{ "itself",             "", "  call void @k(i32 1)\n", ERR_DENIED },
	{ "a variable",         "@v = internal addrspace(1) global i32 0\n", "", ERR_DENIED },
	{ "outside",            "@v = external addrspace(2) constant i32\n", "", ERR_DENIED },
	{ "local memory",       "@v = internal addrspace(3) global [64 x float] undef\n", "", ERR_OK },
	{ "much local memory",  "@v = internal addrspace(3) global [64 x [512 x float]] undef\n", "", ERR_DENIED },
	{ "a large array",      "", "  %a = alloca [65537 x i8], align 1\n", ERR_TOOBIG },
	{ "a section",          "@v = internal addrspace(2) constant i32 1, section \".init_array\", align 4\n", "", ERR_DENIED },
	{ "constructors",       "@llvm.global_ctors = appending global [1 x i8*] undef\n", "", ERR_DENIED },
	{ "used",               "@llvm.used = internal addrspace(2) constant [1 x i8] undef\n", "", ERR_DENIED },
	{ "an alias",           "@a = alias i32, i32* @b\n", "", ERR_DENIED },
	{ "an alias that is dressed up", "@a = internal addrspace(2) alias i32, i32* @b\n", "", ERR_DENIED },
	{ "an ifunc",           "@a = ifunc void (), void ()* @b\n", "", ERR_DENIED },
	{ "module assembly",    "module asm \"nop\"\n", "", ERR_DENIED },
	{ "a comdat",           "$x = comdat any\n", "", ERR_DENIED },
	{ "thread-local",       "@v = internal thread_local addrspace(2) constant i32 0\n", "", ERR_DENIED },
	{ "an address in a constant", "@v = internal addrspace(2) constant i64* @w\n", "", ERR_DENIED },
	{ "a number made an address", "@v = internal addrspace(2) constant i8* inttoptr (i64 5 to i8*)\n", "", ERR_DENIED },
	{ "numbers in a constant", "@v = private unnamed_addr addrspace(2) constant [2 x float] [float -1.0e+00, float 0x7FF0000000000000], align 4\n", "", ERR_OK },
	{ "a structure in a constant", "@v = internal addrspace(2) constant { i32, <2 x half> } { i32 1, <2 x half> <half 0xH3C00, half undef> }\n", "", ERR_OK },
	{ "a huge alignment",   "@v = internal addrspace(3) global [4 x float] undef, align 1048576\n", "", ERR_TOOBIG },
	{ "a function's section", "define internal spir_func void @f() section \"x\" {\n  ret void\n}\n", "", ERR_DENIED },
	{ "a function of the lab's name", "define internal spir_func void @kf_which() {\n  ret void\n}\n", "", ERR_DENIED },
	{ "the prelude's",      "define internal spir_func void @kf_load() !dbg !4 {\n  ret void, !dbg !5\n}\n", "", ERR_OK },
	{ "a weak function",    "define weak spir_func void @f() {\n  ret void\n}\n", "", ERR_DENIED },
	{ "another convention", "define internal x86_regcallcc void @f() {\n  ret void\n}\n", "", ERR_DENIED },
	{ "a prologue",         "define internal spir_func void @f() prologue i32 1 {\n  ret void\n}\n", "", ERR_DENIED },
	{ "attributes",         "attributes #0 = { convergent nounwind \"frame-pointer\"=\"none\" }\n", "", ERR_OK },
	{ "what LLVM 16 says of memory", "attributes #0 = { nounwind memory(argmem: read, inaccessiblemem: readwrite) }\n", "", ERR_OK },
	{ "an attribute",       "attributes #0 = { naked }\n", "", ERR_DENIED },
	{ "an attribute's key", "attributes #0 = { nounwind \"patchable-function\"=\"x\" }\n", "", ERR_DENIED },
	{ "a key behind a value", "attributes #0 = { \"frame-pointer\"=\"none\" \"probe-stack\"=\"f\" }\n", "", ERR_DENIED },
	{ "metadata",           "!llvm.ident = !{!0}\n!0 = !{!\"section\"}\n", "", ERR_OK },
	{ "the linker's options", "!llvm.linker.options = !{!0}\n", "", ERR_DENIED },
	{ "libraries",          "!llvm.dependent-libraries = !{!0}\n", "", ERR_DENIED },
	{ "pointers beside an array", "%struct.s = type { i64*, [2 x i64] }\n", "", ERR_DENIED },
	{ "an array of any size", "", "  %a = alloca i8, i64 %0, align 1\n", ERR_DENIED },
	{ "a vector past all reason", "", "  %a = alloca <1048576 x float>, align 4\n", ERR_DENIED },
	{ "a vector",           "", "  %a = alloca <16 x float>, align 64\n", ERR_OK },
	{ "many vectors",       "", "  %a = alloca [2000 x <16 x float>], align 64\n", ERR_TOOBIG },
	{ "half built-ins",     "", "  %1 = call spir_func float @_Z8half_expf(float %0)\n", ERR_DENIED },
	{ "an atomic of the compiler", "", "  %1 = atomicrmw add i32* %0, i32 1 seq_cst\n", ERR_DENIED },
	{ "a jump to anywhere", "", "  indirectbr i8* %0, [label %a]\n", ERR_DENIED },
	{ "a label's address",  "", "  store i8* blockaddress(@k, %a), i8** %0\n", ERR_DENIED },
	{ "rearranged",         "", "  %1 = fadd reassoc float %0, %0\n", ERR_DENIED },
	{ "contracted",         "", "  %1 = fadd contract float %0, %0\n", ERR_OK },
	{ "a switch",           "", "  switch i32 %0, label %d [\n    i32 0, label %a\n    i64 -1, label %b\n  ]\n", ERR_OK },
	{ "a variable argument", "", "  %1 = va_arg i8** %0, i32\n", ERR_DENIED },
	{ "another address space", "", "  %1 = addrspacecast i8* %0 to i8 addrspace(1)*\n", ERR_DENIED },
	{ "an event's",         "%opencl.event_t = type opaque\n", "  %e.ascast = addrspacecast %opencl.event_t** %e to %opencl.event_t* addrspace(4)*\n", ERR_OK },

	/* Where pointers come from. */
	{ "a cast",             "", "  %1 = bitcast float* %0 to i32*\n", ERR_OK },
	{ "an integer's memory read as a pointer", "%union.u = type { i64 }\n", "  %1 = bitcast %union.u* %0 to float addrspace(1)**\n", ERR_DENIED },
	{ "a pointer's memory written as an integer", "%union.u = type { float* }\n", "  %1 = bitcast %union.u* %0 to i64*\n", ERR_DENIED },
	{ "a pointer in a structure in one", "%struct.a = type { float* }\n%struct.b = type { %struct.a }\n", "  %1 = bitcast %struct.b* %0 to i64*\n", ERR_DENIED },
	{ "a variable of a pointer as a number", "", "  %1 = bitcast float addrspace(1)** %p to i64*\n", ERR_DENIED },
	{ "a function that gives an event", "declare spir_func target(\"spirv.Event\") @_Z21f(ptr)\n", "", ERR_OK },
	{ "a place of a pointer read as a number", "", "  store ptr addrspace(1) %x, ptr %p, align 8\n  %1 = load i64, ptr %p, align 8\n", ERR_DENIED },
	{ "a place of a number read as a pointer", "", "  store i64 4194304, ptr %p, align 8\n  %1 = load ptr addrspace(1), ptr %p, align 8\n", ERR_DENIED },
	{ "a place of a pointer stays one", "", "  store ptr addrspace(1) %x, ptr %p, align 8\n  %1 = load ptr addrspace(1), ptr %p, align 8\n  store i64 1, ptr %q\n  %2 = load i64, ptr %q\n", ERR_OK },
	{ "a pointer beside an array", "%struct.s = type { ptr, [2 x i64] }\n", "", ERR_DENIED },
	{ "a pointer's bytes",  "", "  %1 = bitcast float** %p to i8*\n  store i8 1, i8* %1\n", ERR_DENIED },
	{ "a structure cleared", "%struct.a = type { float* }\n", "  %1 = bitcast %struct.a* %p to i8*\n  call void @llvm.memset.p0i8.i64(i8* align 8 %1, i8 0, i64 8, i1 false)\n", ERR_OK },
	{ "a structure filled", "%struct.a = type { float* }\n", "  %1 = bitcast %struct.a* %p to i8*\n  call void @llvm.memset.p0i8.i64(i8* align 8 %1, i8 7, i64 8, i1 false)\n", ERR_DENIED },
	{ "a structure copied", "%struct.a = type { float* }\n", "  %1 = bitcast %struct.a* %p to i8*\n  %2 = bitcast %struct.a* %q to i8*\n  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %1, i8* align 8 %2, i64 8, i1 false)\n", ERR_OK },
	{ "a number copied over a pointer", "", "  %1 = bitcast float** %p to i8*\n  %2 = bitcast i64* %q to i8*\n  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %1, i8* align 8 %2, i64 8, i1 false)\n", ERR_DENIED },
	{ "a constant copied over a pointer", "", "  %1 = bitcast float** %p to i8*\n  call void @llvm.memcpy.p0i8.p2i8.i64(i8* %1, i8 addrspace(2)* bitcast (i64 addrspace(2)* @c to i8 addrspace(2)*), i64 8, i1 false)\n", ERR_DENIED },
	{ "alignment looked at", "", "  %1 = ptrtoint float addrspace(1)* %p to i64\n  %2 = and i64 %1, 15, !dbg !7\n  %3 = getelementptr float, float* %q, i64 %2\n", ERR_OK },
	{ "alignment in a variable", "", "  %a = alloca i64, align 8\n  %1 = ptrtoint float addrspace(1)* %p to i64\n  store i64 %1, i64* %a, align 8\n  %2 = load i64, i64* %a, align 8\n  %3 = urem i64 %2, 16\n  %4 = icmp eq i64 %3, 0\n", ERR_OK },
	{ "a difference of pointers", "", "  %1 = ptrtoint float* %p to i64\n  %2 = ptrtoint float* %q to i64\n  %3 = sub i64 %1, %2\n  %4 = sdiv exact i64 %3, 4\n  %5 = getelementptr float, float* %q, i64 %4\n", ERR_OK },
	{ "a pointer cancelled in an index", "", "  %1 = ptrtoint float* %p to i64\n  %2 = sub i64 4096, %1\n  %3 = sdiv i64 %2, 4\n  %4 = getelementptr float, float* %p, i64 %3\n", ERR_DENIED },
	{ "the same through a variable, backwards", "", "  %a = alloca i64, align 8\n  %1 = load i64, i64* %a, align 8\n  %2 = getelementptr float, float* %p, i64 %1\n  %3 = ptrtoint float* %p to i64\n  store i64 %3, i64* %a, align 8\n", ERR_DENIED },
	{ "all but the low bits", "", "  %1 = ptrtoint float* %p to i64\n  %2 = and i64 %1, -4096\n  %3 = getelementptr float, float* %p, i64 %2\n", ERR_DENIED },
	{ "an address in the output", "", "  %1 = ptrtoint float* %p to i64\n  %2 = uitofp i64 %1 to float\n  store float %2, float addrspace(1)* %3, align 4\n", ERR_DENIED },
	{ "an address given away", "", "  %1 = ptrtoint float* %p to i64\n  call spir_func void @k(i64 %1)\n", ERR_DENIED },
	{ "an address bit by bit", "", "  %1 = ptrtoint float* %p to i64\n  %2 = lshr i64 %1, 3\n  %3 = and i64 %2, 1\n", ERR_DENIED },
	{ "an address counted up to", "", "  %1 = ptrtoint float* %p to i64\n  %2 = icmp ult i64 %n, %1\n", ERR_DENIED },
	{ "a pointer in local memory as a number", "", "  store i64 5, i64 addrspace(3)* bitcast ([2 x float addrspace(1)*] addrspace(3)* @t to i64 addrspace(3)*)\n", ERR_DENIED },
	{ "one in a structure there", "%struct.s = type { float* }\n", "  store i64 5, i64 addrspace(3)* bitcast (%struct.s addrspace(3)* @t to i64 addrspace(3)*)\n", ERR_DENIED },
	{ "one behind an index there", "%struct.s = type { i32, float* }\n", "  store i64 5, i64 addrspace(3)* bitcast (float* addrspace(3)* getelementptr inbounds (%struct.s, %struct.s addrspace(3)* @t, i32 0, i32 1) to i64 addrspace(3)*)\n", ERR_DENIED },
	{ "local memory as integers", "", "  store i32 5, i32 addrspace(3)* bitcast (float addrspace(3)* getelementptr inbounds ([4 x float], [4 x float] addrspace(3)* @t, i64 0, i64 1) to i32 addrspace(3)*)\n", ERR_OK },
	{ "an array's address",  "", "  store i64 ptrtoint ([4 x float] addrspace(3)* @t to i64), i64* %a\n", ERR_DENIED },
};

/* What a body takes for granted of a buffer's address. */
static const struct {
	const char *body;
	uint64_t want;
} aligns[] = {
	{ "  %1 = load float, float addrspace(1)* %x, align 4\n", 4 },
	{ "  %1 = load <4 x float>, <4 x float> addrspace(1)* %x, align 16\n"
	  "  store float %2, float addrspace(1)* %x, align 4\n", 16 },
	{ "  store <2 x float> %1, <2 x float> addrspace(1)* %x, align 8\n", 8 },
	{ "  %1 = load float addrspace(1)*, float addrspace(1)** %a, align 8\n", 0 },
	{ "  store <4 x float> %1, <4 x float>* %a, align 16\n", 0 },
	{ "  %1 = load float, float addrspace(3)* %x, align 4\n", 0 },
};

static const struct {
	const char *log, *class;
	unsigned line;
	const char *odd; /* NULL: every line is understood */
} logs[] = {
	{ "", NULL, 0, NULL },
	{ "\n20 errors generated - suppressing further errors\n", NULL, 0, NULL },
	{ "1 warning generated.\n", NULL, 0, NULL },
	{ "12 warnings generated.\nWrite-write data race at local memory address 0x1\n", "race", 0, NULL },
	{ "1 warning and 1 error generated.\n", NULL, 0, "1 warning and 1 error generated." },
	{ "Work-item finished without waiting for events\n\tKernel: k\n", "race", 0, NULL },
	{ "Invalid memory load - source pointer is not aligned to the pointed type\n", "misaligned", 0, NULL },
	{ "\nOCLGRIND FATAL ERROR (core/WorkItem.cpp:99)\n\tUnsupported\n", NULL, 0, "OCLGRIND FATAL ERROR (core/WorkItem.cpp:99)" },
	{ "A new finding\nIndex (3) exceeds static array size (2)\n", "out_of_bounds", 0, "A new finding" },
	{ "\t  Invalid read of size 4\n", NULL, 0, NULL },
	{ "\nInvalid read of size 4 at global memory address 0x1\n\tKernel: k\n"
	  "\tAt line 7 (column 3) of kernel.cl:\n", "out_of_bounds", 7, NULL },
	{ "Invalid read of size 4 at global memory address 0x1\n"
	  "\tAt line 7 (column 3) of kf-prelude:\n", "out_of_bounds", 0, NULL },
	{ "Uninitialized value written to local memory address 0x1\n"
	  "Read-write data race at local memory address 0x1\n", "race", 0, NULL },
};
/* clang-format on */

void
t_ir(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = xasprintf("%sdefine spir_kernel void @k(i32 %%0) "
		                       "{\n%s  ret void\n}\n",
		    rows[i].globals, rows[i].body);
		struct why why;

		CHECK_INT(ir_check(text, NULL, &why), rows[i].want,
		    rows[i].what);
		free(text);
	}
	for (size_t i = 0; i < COUNT(aligns); i++) {
		char *text = xasprintf("define spir_kernel void @k() {\n%s"
		                       "  ret void\n}\n",
		    aligns[i].body);
		struct ir_needs needs = { 0 };
		struct why why = { 0 };

		CHECK_INT(ir_check(text, &needs, &why), ERR_OK, why.text);
		CHECK_INT(needs.align, aligns[i].want, aligns[i].body);
		free(text);
	}
	for (size_t i = 0; i < COUNT(logs); i++) {
		struct simulate_finding f;

		simulate_read_log(logs[i].log, &f);
		CHECK_STR(f.class ? f.class : "",
		    logs[i].class ? logs[i].class : "", logs[i].log);
		CHECK_INT(f.line, logs[i].line, logs[i].log);
		CHECK_STR(f.odd, logs[i].odd ? logs[i].odd : "", logs[i].log);
	}
}
