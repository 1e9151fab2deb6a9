/* The built-in header, cut: what a program names stays, and nothing that it
 * could tell apart goes. */
#include "base/buf.h"
#include "base/mem.h"
#include "lab/read/opencl_header.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

#define GUARD "#ifndef _OPENCL_H_\n#define _OPENCL_H_\n"
#define END   "#endif\n"

void t_opencl_header(void);

static const struct {
	const char *what, *body, *program;
	const char *kept; /* must occur, or NULL */
	const char *gone; /* must not, or NULL */
} rows[] = {
	{ "a name that occurs", "float __ovld exp(float);\n", "y = exp(x);",
	    "float __ovld exp(float);\n", NULL },
	{ "every overload of it",
	    "float __ovld exp(float);\nint f(int);\ndouble __ovld exp(double);"
	    "\n",
	    "y = exp(x);", "__ovld exp(double);\n", "int f" },
	{ "a name that does not occur", "float __ovld exp(float);\n",
	    "y = expm1(x) + exp2(x);", NULL, "exp(" },
	{ "a name at the very end", "void f(void);\n", "f", "void f", NULL },
	{ "types stay", "typedef float real;\n", "", "typedef float real;\n",
	    NULL },
	{ "a type of functions stays", "typedef int (f)(int);\n", "",
	    "typedef int (f)", NULL },
	{ "a declaration in two lines stays", "void f(int,\n    int);\n", "",
	    "void f(int,\n    int);\n", NULL },
	{ "two on a line stay", "void f(int); void g(int);\n", "", "void f",
	    NULL },
	{ "an attribute with brackets stays",
	    "void __attribute__((x)) f(int);\n", "", "f(int)", NULL },
	{ "a macro stays", "#define F(x) g(x)\n", "", "#define F(x)", NULL },
	{ "a macro in two lines stays", "#define F(x) \\\nvoid g(x);\n", "",
	    "\\\nvoid g(x);\n", NULL },
	{ "a conditional around what stays", "#if A\nvoid f(int);\n#endif\n",
	    "f", "#if A\nvoid f(int);\n#endif\n", NULL },
	{ "an empty conditional goes",
	    "#if A\nvoid f(int);\n#elif B\n#ifdef C\n#endif\n#endif\n", "",
	    NULL, "#if A" },
	{ "a conditional with something in its other branch",
	    "#if A\nvoid f(int);\n#else\n#pragma P\n#endif\n", "",
	    "#if A\n#else\n#pragma P\n#endif\n", NULL },
	{ "comments go", "/** void f(int); */\n// f\n", "f", NULL, "//" },
	{ "a comment in a line too", "/** void f(int); */\n", "f", NULL, "/*" },
	{ "a long comment goes", "/* a\nvoid f(int);\n*/\nint g;\n", "f",
	    "int g;\n", "f(int)" },
	{ "what it includes is there already", "#include \"base.h\"\n", "",
	    NULL, "include" },
};

static const struct {
	const char *what, *text;
} broken[] = {
	{ "no guard", "float exp(float);\n" },
	{ "a conditional that does not end", GUARD "#if A\n" END },
	{ "one end too many", GUARD END END },
	{ "empty", "" },
};

static void
check_deep(void)
{
	struct header *h = NULL;
	struct buf text;

	buf_init(&text, 4096);
	buf_adds(&text, GUARD);
	for (int i = 0; i < 40; i++)
		buf_adds(&text, "#if A\n");
	for (int i = 0; i < 41; i++)
		buf_adds(&text, END);
	CHECK_INT(header_parse(text.data, &h, NULL), ERR_SYNTAX, "too deep");
	buf_done(&text);
}

void
t_opencl_header(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = xasprintf(GUARD "%s" END, rows[i].body), *out;
		struct header *h = NULL;

		CHECK_INT(header_parse(text, &h, NULL), ERR_OK, rows[i].what);
		free(text);
		if (!h)
			continue;
		out = header_for(h, rows[i].program);
		CHECK(strncmp(out, "#undef _OPENCL_H_\n" GUARD, 18) == 0,
		    rows[i].what);
		if (rows[i].kept)
			CHECK(strstr(out, rows[i].kept) != NULL, rows[i].what);
		if (rows[i].gone)
			CHECK(strstr(out, rows[i].gone) == NULL, rows[i].what);
		free(out);
		header_free(h);
	}
	for (size_t i = 0; i < COUNT(broken); i++) {
		struct header *h = NULL;

		CHECK_INT(header_parse(broken[i].text, &h, NULL), ERR_SYNTAX,
		    broken[i].what);
		header_free(h);
	}
	check_deep();
	header_free(NULL);
}
