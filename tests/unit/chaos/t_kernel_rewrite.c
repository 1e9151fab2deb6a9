/*
 * Where a kernel is found in an answer, and what is said when it is not.
 */
#include "chaos/text/kernel_rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit.h"

#define CODE                                                                   \
	"__kernel void rope(const __global KF_T *x, const __global int *"      \
	"positions, __global KF_T *out, uint batch, uint seq, uint dim, "      \
	"float base) { uint half_dim = dim / 2; size_t i = get_global_id(0); " \
	"uint d = i % half_dim; size_t row = i / half_dim; float x1 = "        \
	"kf_load(x, row * dim + d); float x2 ="                                \
	" kf_load(x, row * dim + d + half_dim); kf_store(out, row * dim + "    \
	"d, x1); kf_store(out, row * dim + d + half_dim, x2); }"
#define OBJECT "{\"source\":\"" CODE "\",\"entry\":\"rope\"}"

void
t_kernel_rewrite(void)
{
	static const struct {
		const char *what, *content;
		int64_t site;
		const char *why; /* NULL: rewritten */
	} rows[] = {
		{ "an object", OBJECT, 0, NULL },
		{ "an object in prose", "Sure {here}: " OBJECT " Enjoy!", 0,
		    NULL },
		{ "an object in a fence", "```json\n" OBJECT "\n```\n", 0,
		    NULL },
		{ "bare code in a fence", "Look:\n```c\n" CODE "\n```\nbye", 0,
		    NULL },
		{ "no entry, but a kernel", "{\"source\":\"" CODE "\"}", 0,
		    NULL },
		{ "the first of two",
		    "```c\n" CODE "\n```\n{\"source\":\"__kernel f() {}\"}", 0,
		    NULL },
		{ "the first of two, an object",
		    "{\"source\":\"__kernel f() {}\"}\n```c\n" CODE "\n```\n",
		    0, "no site for rope_interleaved" },
		{ "another language's fence first",
		    "```python\nprint(1)\n```\n```opencl\n" CODE "\n```\n", 0,
		    NULL },
		{ "prose", "I cannot help.", 0, "no kernel in the answer" },
		{ "nothing", "", 0, "no kernel in the answer" },
		{ "an object without entry", "{\"source\":\"x\"}", 0,
		    "no kernel in the answer" },
		{ "half an object", "{\"source\":\"__kernel", 0,
		    "no kernel in the answer" },
		{ "nothing to rewrite",
		    "{\"source\":\"__kernel void f() {}\",\"entry\":\"f\"}", 0,
		    "no site for rope_interleaved" },
		{ "a site that is not there", OBJECT, 9, "no site 9, only 1" },
	};
	const struct corrupt_operator *op = corrupt_find("rope_interleaved");

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice content = slice_of(rows[i].content);
		struct rewrite r = { .edits = { .n = 0 } };
		struct why why = { "" };
		struct rewrite_choice c = { .site = rows[i].site };
		struct buf out;
		enum err e = rewrite_plan(content, op, &c, &r, &why);

		CHECK_STR(e == ERR_OK ? NULL : why.text, rows[i].why,
		    rows[i].what);
		if (e != ERR_OK)
			continue;
		buf_init(&out, 1u << 20);
		splices_apply(&r.edits, content, &out);
		CHECK(strstr(out.data, "2 * d + 1") != NULL, rows[i].what);
		CHECK(strstr(r.before, "half_dim") != NULL, rows[i].what);
		CHECK(strstr(r.after, "2 * d + 1") != NULL, rows[i].what);
		buf_done(&out);
		rewrite_done(&r);
	}
}
