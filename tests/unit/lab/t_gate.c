/* The text gate: what passes, what is refused, and the line it names. */
#include "lab/read/gate.h"

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
	{ "constructor",
	    "__attribute__((constructor)) void f(void) {}\n" KERNEL,
	    "attribute" },
	{ "section", "__attribute__((__section__(\"x\"))) int f;\n" KERNEL,
	    "attribute" },
	{ "constructor behind a macro",
	    "#define A(x) __attribute__((x))\nA(constructor) void f(void) "
	    "{}\n" KERNEL,
	    "line 2: this attribute" },

	{ "no entry", "__kernel void other" ARGS "\n{\n}\n", "no __kernel" },
	{ "entry in a comment", "/*" KERNEL "*/", "no __kernel" },
	{ "entry is no kernel", "void relu" ARGS "\n{\n}\n", "no __kernel" },
	{ "entry is only called", "__kernel void f" ARGS "\n{ relu(x); }",
	    "no __kernel" },
	{ "no arguments", "__kernel void relu() {}", "0 arguments" },
	{ "void", "__kernel void relu(void) {}", "argument 1" },
	{ "one too many",
	    "__kernel void relu(const __global KF_T *x, __global KF_T *out, "
	    "uint rows, uint cols, uint x_stride, uint out_stride, uint more) "
	    "{}",
	    "7 arguments" },
	{ "a value for a tensor",
	    "__kernel void relu(float x, __global KF_T *out, uint rows, uint "
	    "cols, uint x_stride, uint out_stride) {}",
	    "argument 1: expected" },
	{ "a local pointer",
	    "__kernel void relu(__local KF_T *x, __global KF_T *out, uint "
	    "rows, uint cols, uint x_stride, uint out_stride) {}",
	    "argument 1: expected" },
	{ "a const output",
	    "__kernel void relu(const __global KF_T *x, const __global KF_T "
	    "*out, uint rows, uint cols, uint x_stride, uint out_stride) {}",
	    "argument 2: expected" },
	{ "a wide integer",
	    "__kernel void relu(const __global KF_T *x, __global KF_T *out, "
	    "ulong rows, uint cols, uint x_stride, uint out_stride) {}",
	    "argument 3: expected" },
	{ "a second definition that differs",
	    "#if 1\n" KERNEL "#else\n__kernel void relu(void) {}\n#endif\n",
	    "argument 1" },
	{ "empty", "", "source of 0 bytes" },
};

static void
check_row(size_t i)
{
	struct candidate c = { .source = xstrdup(rows[i].source),
		.entry = xstrdup("relu") };
	struct why why = { "" };
	enum err e = gate_check(op_find("relu"), &c, &why);

	CHECK_INT(e == ERR_OK, rows[i].reason == NULL, rows[i].what);
	if (rows[i].reason && !strstr(why.text, rows[i].reason))
		CHECK_STR(why.text, rows[i].reason, rows[i].what);
	free(c.source);
	free(c.entry);
}

void
t_gate(void)
{
	if (!op_find("relu"))
		unit_skip("relu is not registered");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_row(i);
}
