/* What a text can see of storage types, groups and order. */
#include "lab/read/text_depends.h"

#include "tests/unit.h"

#define PLAIN                                                                  \
	"__kernel void relu(const __global KF_T *x, __global KF_T *const out," \
	" uint n)\n{ size_t i = get_global_id(0); /* sizeof, barrier */\n"

static const struct {
	const char *what, *text;
	unsigned want;
} rows[] = {
	{ "accessors alone", PLAIN "kf_store(out, i, kf_load(x, i)); }", 0 },
	{ "an offset in an accessor", PLAIN "kf_store(out + 1, i, 0); }", 0 },
	{ "a pointer to a row",
	    PLAIN "const __global KF_T *row = x + i; kf_load(row, 1); }", 0 },
	{ "a pointer to a row in a number",
	    PLAIN "const __global KF_T *row = x + i; { ulong row = x + 1; } }",
	    TEXT_DEPENDS_STORAGE },
	{ "what it has stored, by its name",
	    PLAIN "kf_store(out, i, 1); kf_load(out, i); }",
	    TEXT_DEPENDS_STORAGE },
	{ "what it stores later, by another pointer",
	    PLAIN "const __global KF_T *row = out + i; kf_load(row, 0);"
	          "__global KF_T *o = out; kf_store(o, i, 1); }",
	    TEXT_DEPENDS_STORAGE },
	{ "by a name that is a pointer to one or the other",
	    PLAIN "{ const __global KF_T *p = out; }"
	          "{ const __global KF_T *p = x; kf_load(p, 0); }"
	          "kf_store(out, i, 0); }",
	    TEXT_DEPENDS_STORAGE },
	{ "two tensors by pointers of their own",
	    PLAIN "const __global KF_T *p = x + i; __global KF_T *q = out + i;"
	          "kf_store(q, 0, kf_load(p, 0)); }",
	    0 },
	{ "the type by its number", PLAIN "if (KF_DTYPE == 1) return; }",
	    TEXT_DEPENDS_STORAGE },
	{ "in a directive", "#if KF_DTYPE\n#endif\n" PLAIN "}",
	    TEXT_DEPENDS_STORAGE },
	{ "by its size", PLAIN "uint s = sizeof(*x); }", TEXT_DEPENDS_STORAGE },
	{ "by the type of an accessor", PLAIN "__typeof__(kf_load) f; }",
	    TEXT_DEPENDS_STORAGE },
	{ "by a choice of types",
	    PLAIN "int k = _Generic(kf_load, default: 1); }",
	    TEXT_DEPENDS_STORAGE },
	{ "by its alignment", PLAIN "int k = __alignof__(kf_load); }",
	    TEXT_DEPENDS_STORAGE },
	{ "a value of it", PLAIN "KF_T v = x[i]; }", TEXT_DEPENDS_STORAGE },
	{ "another name for it", "#define T KF_T\n" PLAIN "}",
	    TEXT_DEPENDS_STORAGE },
	{ "a difference of pointers",
	    PLAIN "size_t d = (size_t)(x + 1) - (size_t)x; }",
	    TEXT_DEPENDS_STORAGE },
	{ "a pointer handed on", PLAIN "helper(x); }", TEXT_DEPENDS_STORAGE },
	{ "a null pointer", PLAIN "size_t d = (size_t)((KF_T *)0 + 1); }",
	    TEXT_DEPENDS_STORAGE },
	{ "a macro before the name is declared",
	    "#define D ((size_t)(x + 1))\n" PLAIN "}", TEXT_DEPENDS_STORAGE },
	{ "an accessor's name for a macro",
	    "#define kf_load(p, i) over(p)\n" PLAIN "kf_load(x, i); }",
	    TEXT_DEPENDS_STORAGE },
	{ "a choice of functions",
	    "__attribute__((overloadable)) void f(void);\n" PLAIN "}",
	    TEXT_DEPENDS_STORAGE },
	{ "a name across two lines", PLAIN "i = get_lo\\\ncal_id(0); }",
	    TEXT_DEPENDS_ALL },
	{ "a trigraph", "#define P(a, b) a?\?=?\?=b\n" PLAIN "}",
	    TEXT_DEPENDS_ALL },
	{ "a digraph", "#define P(a, b) a%:%:b\n" PLAIN "}", TEXT_DEPENDS_ALL },
	{ "a local id", PLAIN "i = get_local_id(0); }", TEXT_DEPENDS_GROUP },
	{ "an array of the group", PLAIN "__local float part[64]; }",
	    TEXT_DEPENDS_GROUP },
	{ "a name that only begins so", PLAIN "float local_sum = 0; }", 0 },
	{ "a barrier", PLAIN "barrier(CLK_LOCAL_MEM_FENCE); }",
	    TEXT_DEPENDS_GROUP | TEXT_DEPENDS_BARRIER },
	{ "names put together", "#define P(a, b) a##b\n" PLAIN "}",
	    TEXT_DEPENDS_ALL },
	{ "nothing", "", 0 },
};

void
t_text_depends(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(text_depends_on(rows[i].text), rows[i].want,
		    rows[i].what);
}
