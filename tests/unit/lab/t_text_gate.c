/* The text gate: what passes, what is refused, and the line it names. */
#include "lab/read/text_gate.h"
#include "lab/read/text_macros.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

#define ARGS                                                                   \
	"(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, "  \
	"uint x_stride, uint out_stride)"
#define KERNEL "__kernel void relu" ARGS "\n{\n}\n"

static const struct {
	const char *what, *source;
	const char *reason; /* NULL: passes */
} rows[] = {
	{ "plain", KERNEL, NULL },
	{ "the other spellings",
	    "kernel void relu(global const float * restrict x, global float "
	    "*out, const uint rows, unsigned cols, unsigned int x_stride, uint "
	    "out_stride) {}",
	    NULL },
	{ "an attribute between",
	    "__kernel __attribute__((reqd_work_group_"
	    "size(64, 1, 1))) void relu" ARGS " {}",
	    NULL },
	{ "words in comments", "/* #include asm */\n// #include <x>\n" KERNEL,
	    NULL },
	{ "words in strings",
	    "__constant char s[] = \"#include asm\";\n" KERNEL, NULL },
	{ "a variable named section", "__constant int section = 1;\n" KERNEL,
	    NULL },
	{ "a name that begins like one",
	    "__constant int include_me = 1;\n" KERNEL, NULL },
	{ "a helper with other arguments",
	    "float help(float v) { return v; }\n" KERNEL, NULL },

	{ "a condition on an extension",
	    "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : "
	    "enable\n#endif\n" KERNEL,
	    NULL },
	{ "a condition on the language",
	    "#if defined(CL_VERSION_1_1) && __OPENCL_C_VERSION__ >= 110\n"
	    "#endif\n" KERNEL,
	    NULL },
	{ "a guard of one's own",
	    "#ifndef BLOCK_\n#define BLOCK_ 64\n#endif\n" KERNEL, NULL },
	{ "an attribute with underscores",
	    "typedef float four __attribute__((__aligned__(16)));\n" KERNEL,
	    NULL },
	{ "a condition on a device",
	    "\n#if defined(__AMDGCN__)\n#endif\n" KERNEL,
	    "line 2: a condition on a macro" },
	{ "a condition on a vendor",
	    "#ifdef __NV_CL_C_VERSION\n#endif\n" KERNEL, "a condition on" },
	{ "the time of day", "__constant char now[] = __TIME__;\n" KERNEL,
	    "line 1: a name that compilers" },
	{ "a date behind a macro", "#define NOW __DATE__\n" KERNEL,
	    "a name that compilers" },
	{ "a compiler's version",
	    "__constant int v = __clang_major__;\n" KERNEL,
	    "a name that compilers" },

	{ "include", "\n#include <x>\n" KERNEL, "line 2: including" },
	{ "include with blanks", " # \t include <x>\n" KERNEL,
	    "line 1: including" },
	{ "include behind a comment", "# /* a\n */ include <x>\n" KERNEL,
	    "including" },
	{ "include_next", "#include_next <x>\n" KERNEL, "including" },
	{ "import", "#import <x>\n" KERNEL, "including" },
	{ "embed", "#embed <x>\n" KERNEL, "including" },
	{ "digraph", "%:include <x>\n" KERNEL, "including" },
	{ "trigraph", "?\?=include <x>\n" KERNEL, "including" },
	{ "backslash-newline", "#\\\ninc\\\nlude <x>\n" KERNEL, "including" },
	{ "trigraph backslash-newline", "#inc?\?/\nlude <x>\n" KERNEL,
	    "including" },
	{ "in a dead branch", "#if 0\n#include <x>\n#endif\n" KERNEL,
	    "line 2: including" },
	{ "asm", KERNEL "void f(void) { asm(\"\"); }", "inline assembly" },
	{ "asm split", KERNEL "void f(void) { as\\\nm(\"\"); }",
	    "inline assembly" },
	{ "asm in a macro", "#define A __asm__\n" KERNEL,
	    "line 1: inline assembly" },
	{ "unroll", "#pragma unroll 4\n" KERNEL, NULL },
	{ "an extension",
	    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" KERNEL, NULL },
	{ "contraction", "# pragma OPENCL FP_CONTRACT OFF\n" KERNEL, NULL },
	{ "unroll by a macro", "#define U _Pragma(\"unroll\")\n" KERNEL, NULL },
	{ "any pragma by a macro", "#define U(x) _Pragma(#x)\n" KERNEL, NULL },
	{ "a section for constants",
	    "\n#pragma clang section rodata=\".text\"\n" KERNEL,
	    "line 2: every pragma but unroll" },
	{ "a section behind a comment",
	    "#pragma /* unroll */ clang section relro=\".init_array\"\n" KERNEL,
	    "line 1: every pragma" },
	{ "reassociation", "#pragma clang fp reassociate(on)\n" KERNEL,
	    "pragma" },
	{ "a crash", "#pragma clang __debug crash\n" KERNEL, "pragma" },
	{ "macros back", "#pragma push_macro(\"X\")\n" KERNEL, "pragma" },
	{ "the C standard's pragma", "#pragma STDC FP_CONTRACT ON\n" KERNEL,
	    "pragma" },
	{ "another of OpenCL",
	    "#pragma OPENCL SELECT_ROUNDING_MODE rtz\n" KERNEL, "pragma" },
	{ "clang's own extension",
	    "#pragma OPENCL EXTENSION __cl_clang_function_pointers : "
	    "enable\n" KERNEL,
	    "every pragma" },
	{ "the same by the operator",
	    "_Pragma(\"OPENCL EXTENSION __cl_clang_function_pointers : "
	    "enable\")\n" KERNEL,
	    "this pragma" },
	{ "a pragma behind a form feed", "\f#pragma clang section\n" KERNEL,
	    "every pragma" },
	{ "a pragma that says nothing", "#pragma\n" KERNEL, "pragma" },
	{ "the operator", "_Pragma(\"clang section text=\\\"x\\\"\")\n" KERNEL,
	    "this pragma" },
	{ "the operator, plainly", "_Pragma(\"once\")\n" KERNEL,
	    "this pragma" },
	{ "a file looked for",
	    "#if __has_include(</etc/passwd>)\n#endif\n" KERNEL,
	    "line 1: looking for files" },
	{ "a file looked for by a macro", "#define H __has_include\n" KERNEL,
	    "line 1: looking for files" },
	{ "a file looked for next",
	    "#if defined(X) || __has_include_next(<x>)\n#endif\n" KERNEL,
	    "looking for files" },
	{ "a file looked for to embed", "#if __has_embed(<x>)\n#endif\n" KERNEL,
	    "looking for files" },
	{ "other lines", "#line 1 \"kf-prelude\"\n" KERNEL, "this directive" },
	{ "a marker", "# 1 \"kf-prelude\" 3\n" KERNEL, "this directive" },
	{ "ident", "#ident \"x\"\n" KERNEL, "this directive" },
	{ "a lone carriage return", "// x \r#include <x>\n" KERNEL,
	    "line 1: a carriage return" },
	{ "lines that end as on Windows", "// x\r\n" KERNEL, NULL },
	{ "declspec", "__declspec(noreturn) void f(void);\n" KERNEL,
	    "this word" },
	{ "a macro of its own",
	    "#ifndef TILE\n#define TILE 16\n#endif\n#if TILE > 8 && "
	    "defined(TILE)\n#endif\n" KERNEL,
	    NULL },
	{ "its own by its own",
	    "#define T 16\n#define W (T / 4)\n#if W == 4\n#elif W > 4\n"
	    "#endif\n" KERNEL,
	    NULL },
	{ "the storage type", "#if KF_DTYPE == 0\n#endif\n" KERNEL, NULL },
	{ "an extension's macro", "#ifdef cl_khr_fp16\n#endif\n" KERNEL, NULL },
	{ "OpenCL C's own",
	    "#if __OPENCL_C_VERSION__ >= 120 && defined(__ENDIAN_LITTLE__) && "
	    "defined(CL_VERSION_1_2)\n#endif\n#ifndef M_PI_F\n#define M_PI_F "
	    "3.14f\n#endif\n" KERNEL,
	    NULL },
	{ "any number of arguments", "#define F(...) f(__VA_ARGS__)\n" KERNEL,
	    NULL },
	{ "a compiler's words to people",
	    "#if KF_DTYPE > 2\n#error __NVPTX__ has no such "
	    "type\n#endif\n" KERNEL,
	    NULL },
	{ "an attribute's other name",
	    "__attribute__((__aligned__(16))) int a;\n" KERNEL, NULL },
	{ "pasted names", "#define F(t) f_##t\n" KERNEL, NULL },
	{ "a vendor's macro", "\n#ifdef __NV_CL_C_VERSION\n#endif\n" KERNEL,
	    "line 2: a condition on a macro that the text does not define "
	    "itself is refused (__NV_CL_C_VERSION)" },
	{ "a vendor's macro as a number", "\nint a = __x86_64__;\n" KERNEL,
	    "line 2: a name that compilers and devices give each their own" },
	{ "one with one underscore", "int a = _LP64;\n" KERNEL, "(_LP64)" },
	{ "one that the text defines, too",
	    "#ifndef __AMDGCN__\n#define __AMDGCN__ 0\n#endif\n" KERNEL,
	    "(__AMDGCN__)" },
	{ "the hour", "__constant char t[] = __TIME__;\n" KERNEL,
	    "(__TIME__)" },
	{ "what a device may lack", "#ifdef FP_FAST_FMAF\n#endif\n" KERNEL,
	    "(FP_FAST_FMAF)" },
	{ "a vendor's extension",
	    "#define A 1\n#if A && defined(cl_nv_pragma_unroll)\n"
	    "#endif\n" KERNEL,
	    "line 2: a condition" },
	{ "a device's version", "#if __OPENCL_VERSION__ > 120\n#endif\n" KERNEL,
	    "(__OPENCL_VERSION__)" },
	{ "a macro that nobody defines", "#ifdef FAST\n#endif\n" KERNEL,
	    "line 1: a condition on a macro" },
	{ "one behind its own", "#define A HAVE_FMA\n#if A\n#endif\n" KERNEL,
	    "(A)" },
	{ "in an attribute's argument",
	    "__attribute__((aligned(__BIGGEST_ALIGNMENT__))) int a;\n" KERNEL,
	    "(__BIGGEST_ALIGNMENT__)" },
	{ "pasted together",
	    "#define C(a, b) a##b\nint a = C(_, C(_, x86_64__));\n" KERNEL,
	    "line 2: a part of a compiler's name" },
	{ "pasted together in a condition",
	    "#define C(a, b) a##b\n#define D C(un, ix)\n#if D\n#endif\n" KERNEL,
	    "line 3: a condition" },
	{ "pasted by a digraph",
	    "#define C(a, b) a%:%:b\nint a = C(_, C(_, x86_64__));\n" KERNEL,
	    "line 2: a part" },
	{ "empty", "", "source of 0 bytes" },
};

/* The text as the preprocessor leaves it. */
static const struct {
	const char *what, *text;
	const char *reason;
} expanded[] = {
	{ "a variable named section behind an attribute",
	    "__attribute__((aligned(4))) int section;\n" KERNEL, NULL },
	{ "an attribute of a kernel",
	    "__kernel __attribute__((reqd_work_group_size(64, 1, 1),"
	    " vec_type_hint(float4))) void relu" ARGS "{}\n",
	    NULL },
	{ "an attribute that is a keyword",
	    "float f(float x) __attribute__((const));\n" KERNEL, NULL },
	{ "constructor",
	    "__attribute__((constructor)) void f(void) {}\n" KERNEL,
	    "line 1: this attribute is refused (constructor)" },
	{ "section", "__attribute__((__section__(\"x\"))) int f;\n" KERNEL,
	    "this attribute" },
	{ "a second attribute",
	    "__attribute((unused, alias(\"x\"))) int f;\n" KERNEL,
	    "this attribute" },
	{ "a constructor's priority",
	    "__attribute__((const constructor(101))) void f(void) {}\n" KERNEL,
	    "this attribute" },
	{ "a built-in by the name that compilers give it",
	    "size_t _Z13get_global_idj(uint d);\n" KERNEL,
	    "line 1: a mangled name is refused" },
	{ "a line marker counts", "# 40 \"kernel.cl\"\nasm();\n",
	    "line 40: inline assembly" },
	{ "an operator that is left", "_Pragma(\"GCC poison x\")",
	    "this pragma" },
	{ "a pragma that a macro made", "\n#pragma weak f\n", "every pragma" },
};

static void
check_expanded(size_t i)
{
	struct why why = { "" };
	enum err e = text_gate_check_expanded(expanded[i].text, &why);

	CHECK_INT(e == ERR_OK, expanded[i].reason == NULL, expanded[i].what);
	if (expanded[i].reason && !strstr(why.text, expanded[i].reason))
		CHECK_STR(why.text, expanded[i].reason, expanded[i].what);
}

static void
check_row(size_t i)
{
	struct candidate c = { .source = xstrdup(rows[i].source),
		.entry = xstrdup("relu") };
	struct why why = { "" };
	enum err e = text_gate_check(&c, &why);

	CHECK_INT(e == ERR_OK, rows[i].reason == NULL, rows[i].what);
	if (rows[i].reason && !strstr(why.text, rows[i].reason))
		CHECK_STR(why.text, rows[i].reason, rows[i].what);
	free(c.source);
	free(c.entry);
}

void t_text_gate(void); /* its caller is a generated table */

void
t_text_gate(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
	for (size_t i = 0; i < COUNT(expanded); i++)
		check_expanded(i);
	{
		char names[32];

		text_gate_extensions(
		    "#pragma OPENCL EXTENSION cl_khr_fp64 : "
		    "enable\n"
		    "#pragma OPENCL EXTENSION cl_khr_fp64:require\n"
		    "#pragma OPENCL EXTENSION cl_b : disable\n"
		    "#pragma OPENCL EXTENSION cl_c : enable\n"
		    "#pragma OPENCL EXTENSION cl_that_does_not_fit"
		    " : enable\n#pragma unroll\n",
		    names, sizeof names);
		CHECK_STR(names, "cl_khr_fp64 cl_c", "extensions");
	}
	{
		char names[64] = "cl_b";

		text_macros_extensions(
		    "#pragma OPENCL EXTENSION cl_a : enable\n"
		    "#ifdef cl_khr_fp64\n#endif\n#if defined(cl_khr_fp)\n"
		    "#endif\nint a = cl_khr_fp64;\n",
		    "-all,+cl_b,+cl_khr_fp64", names, sizeof names);
		CHECK_STR(names, "cl_b cl_khr_fp64 no cl_khr_fp",
		    "extensions asked for");
	}
	CHECK_INT(text_gate_line_of("// f(\nint f;\nvoid f\n(int x);", "f"), 3,
	    "where a function begins");
}
