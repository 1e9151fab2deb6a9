/*
 * Loops of thousands of millions of rounds, which the machine leaps over: they
 * end where they would end, wrap where they would wrap, never end where they
 * never would, and what they sum up is said to be unknown.
 */
#include "lab/probe/machine.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>

#define ITEMS  8
#define FAR    2147483647U
#define BUDGET 200000
#define LISTED 4096

/* for (T i = id; i PREDICATE n; i += STEP) { BODY x[i] = i; }, as a compiler
 * writes it that does not optimise; WIDE makes 64 bits of i. */
#define LOOP(predicate, step, wide, body)                                      \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n  %v = alloca i32, align 4\n  %f = alloca float, align 4\n"   \
	"  %e = alloca float, align 4\n  store float 1.0, float* %e, align "   \
	"4\n"                                                                  \
	"  %id = call spir_func i64 @_Z13get_global_idj(i32 0)\n"              \
	"  %i = trunc i64 %id to i32\n  store i32 %i, i32* %v, align 4\n"      \
	"  store float 1.0, float* %f, align 4\n  br label %head\n"            \
	"head:\n  %a = load i32, i32* %v, align 4\n"                           \
	"  %c = icmp " predicate " i32 %a, %n\n"                               \
	"  br i1 %c, label %body, label %end\nbody:\n"                         \
	"  %w = " wide " i32 %a to i64\n"                                      \
	"  %p = getelementptr inbounds i32, i32 addrspace(1)* %x, i64 %w\n"    \
	"  store i32 %a, i32 addrspace(1)* %p, align 4\n" body                 \
	"  %b = load i32, i32* %v, align 4\n"                                  \
	"  %s = " step "\n  store i32 %s, i32* %v, align 4\n"                  \
	"  br label %head\nend:\n  ret void\n}\n"

#define SUM                                                                    \
	"  %g = load float, float* %f, align 4\n"                              \
	"  %h = fadd float %g, 1.0\n  store float %h, float* %f, align 4\n"

/* What it was one round before, and two, is written. */
#define WRITE(from)                                                            \
	"  %g = load float, float* " from ", align 4\n"                        \
	"  %u = bitcast float %g to i32\n"                                     \
	"  store i32 %u, i32 addrspace(1)* %p, align 4\n"
#define NUMBER "  %t = uitofp i32 %a to float\n"
#define KEEP   "  store float %t, float* %f, align 4\n"
#define HAND                                                                   \
	"  %h = load float, float* %f, align 4\n"                              \
	"  store float %h, float* %e, align 4\n"
#define KEEP_IF(is)                                                            \
	"  %d = " is "\n  br i1 %d, label %more, label %rest\nmore:\n" KEEP    \
	"  br label %rest\nrest:\n"

#define BARRIER "  call spir_func void @_Z7barrierj(i32 1)\n"

/* The same from 0 on for all items, which write the same; the counter lies in
 * memory: of the item's own, or (SHARED) of the group's, which one item moves. */
#define OWN(predicate, step)                                                   \
	"declare spir_func i32 @_Z3minii(i32, i32)\n"                          \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n  %f = alloca [2 x i32], align 4\n"                           \
	"  %v = getelementptr inbounds [2 x i32], [2 x i32]* %f, i64 0, "      \
	"i64 1\n"                                                              \
	"  store i32 0, i32* %v, align 4\n  br label %head\n"                  \
	"head:\n  %a = load i32, i32* %v, align 4\n"                           \
	"  %c = icmp " predicate " i32 %a, %n\n"                               \
	"  br i1 %c, label %body, label %end\nbody:\n"                         \
	"  %w = sext i32 %a to i64\n"                                          \
	"  %p = getelementptr inbounds i32, i32 addrspace(1)* %x, i64 %w\n"    \
	"  store i32 %a, i32 addrspace(1)* %p, align 4\n"                      \
	"  %b = load i32, i32* %v, align 4\n" step                             \
	"  store i32 %s, i32* %v, align 4\n"                                   \
	"  br label %head\nend:\n  ret void\n}\n"

#define SHARED                                                                 \
	"@k.row = internal addrspace(3) global i32 undef, align 4\n"           \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n  %id = call spir_func i64 @_Z12get_local_idj(i32 0)\n"       \
	"  %one = icmp eq i64 %id, 0\n"                                        \
	"  br i1 %one, label %set, label %from\nset:\n"                        \
	"  store i32 0, i32 addrspace(3)* @k.row, align 4\n"                   \
	"  br label %from\nfrom:\n" BARRIER "  br label %head\n"               \
	"head:\n  %a = load i32, i32 addrspace(3)* @k.row, align 4\n"          \
	"  %c = icmp slt i32 %a, %n\n"                                         \
	"  br i1 %c, label %body, label %end\nbody:\n"                         \
	"  %w = sext i32 %a to i64\n"                                          \
	"  %p = getelementptr inbounds i32, i32 addrspace(1)* %x, i64 %w\n"    \
	"  store i32 %a, i32 addrspace(1)* %p, align 4\n" BARRIER              \
	"  br i1 %one, label %move, label %back\nmove:\n"                      \
	"  %b = load i32, i32 addrspace(3)* @k.row, align 4\n"                 \
	"  %s = add nsw i32 %b, 8\n"                                           \
	"  store i32 %s, i32 addrspace(3)* @k.row, align 4\n"                  \
	"  br label %back\nback:\n" BARRIER                                    \
	"  br label %head\nend:\n  ret void\n}\n"

/* A counter of 16 bits. */
#define SHORT                                                                  \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n  %v = alloca i16, align 2\n"                                 \
	"  store i16 0, i16* %v, align 2\n  br label %head\n"                  \
	"head:\n  %a = load i16, i16* %v, align 2\n"                           \
	"  %w = zext i16 %a to i32\n  %c = icmp ult i32 %w, %n\n"              \
	"  br i1 %c, label %body, label %end\nbody:\n"                         \
	"  %b = load i16, i16* %v, align 2\n  %s = add i16 %b, 1\n"            \
	"  store i16 %s, i16* %v, align 2\n  br label %head\n"                 \
	"end:\n  ret void\n}\n"

/* Beyond its one float once in 2^26, where all of so many bits are ones. */
#define PARTS                                                                  \
	"  %m = and i32 %a, 67108863\n  %o = add i32 %m, 1\n"                  \
	"  %y = lshr i32 %o, 26\n  %z = zext i32 %y to i64\n"                  \
	"  %q = getelementptr inbounds float, float* %f, i64 %z\n"             \
	"  %g = load float, float* %q, align 4\n"

static const struct {
	const char *what, *text;
	uint32_t n;
	enum machine_end end;
	const char *class;
	bool is_inexact, writes_last;
	uint32_t before; /* values are numbers of so many rounds before */
} rows[] = {
	{ "a walk to its end", LOOP("ult", "add i32 %b, 8", "zext", ""), FAR,
	    MACHINE_DONE, NULL, false, true, 0 },
	{ "a step that the launch tells",
	    LOOP("ult", "add i32 %b, %q", "zext",
	        "  %z = call spir_func i64 @_Z15get_global_sizej(i32 0)\n"
	        "  %q = trunc i64 %z to i32\n"),
	    FAR, MACHINE_DONE, NULL, false, true, 0 },
	{ "an int that passes its end",
	    LOOP("slt", "add nsw i32 %b, 8", "sext", ""), FAR, MACHINE_FOUND,
	    "out_of_bounds", false, false, 0 },
	{ "a counter that always comes round",
	    LOOP("ult", "add i32 %b, 8", "zext", ""), 0xffffffff, MACHINE_FOUND,
	    "timeout", false, false, 0 },
	{ "sixteen bits for more rounds than they count", SHORT, 70000,
	    MACHINE_FOUND, "timeout", false, false, 0 },
	{ "sixteen bits for as many as they do", SHORT, 65535, MACHINE_DONE,
	    NULL, false, false, 0 },
	{ "a sum over the rounds", LOOP("ult", "add i32 %b, 8", "zext", SUM),
	    FAR, MACHINE_DONE, NULL, true, true, 0 },
	{ "what a round makes for the next one",
	    LOOP("ult", "add i32 %b, 8", "zext", WRITE("%f") NUMBER KEEP), FAR,
	    MACHINE_DONE, NULL, false, false, 1 },
	{ "what it makes for the next but one",
	    LOOP("ult", "add i32 %b, 8", "zext", WRITE("%e") HAND NUMBER KEEP),
	    FAR, MACHINE_DONE, NULL, false, false, 2 },
	{ "the same where a counter says so",
	    LOOP("ult", "add i32 %b, 8", "zext",
	        WRITE("%f") NUMBER KEEP_IF("icmp ult i32 %a, 2147483000")),
	    2147480000, MACHINE_DONE, NULL, false, false, 1 },
	{ "a maximum by a branch",
	    LOOP("ult", "add i32 %b, 8", "zext",
	        WRITE("%f") NUMBER KEEP_IF("fcmp ogt float %t, %g")),
	    FAR, MACHINE_DONE, NULL, true, false, 0 },
	{ "what is made in the first rounds alone",
	    LOOP("ult", "add i32 %b, 8", "zext",
	        WRITE("%f") NUMBER KEEP_IF("icmp ult i32 %a, 100")),
	    FAR, MACHINE_DONE, NULL, true, false, 0 },
	{ "all items at barriers",
	    LOOP("ult", "add i32 %b, 8", "zext", BARRIER), FAR - 7,
	    MACHINE_DONE, NULL, true, true, 0 },
	{ "a place that a round's bits tell, when all of them are ones",
	    LOOP("ult", "add i32 %b, 8", "zext", PARTS), FAR, MACHINE_FOUND,
	    "out_of_bounds", false, false, 0 },
	{ "an int in an array that passes its end",
	    OWN("slt", "  %s = add nsw i32 %b, 8\n"), FAR, MACHINE_FOUND,
	    "out_of_bounds", true, false, 0 },
	{ "a step to the end at most",
	    OWN("slt",
	        "  %o = add nsw i32 %b, 8\n"
	        "  %s = call spir_func i32 @_Z3minii(i32 %o, i32 %n)\n"),
	    FAR - 8, MACHINE_DONE, NULL, true, false, 0 },
	{ "the group's own int", SHARED, FAR, MACHINE_FOUND, "out_of_bounds",
	    true, false, 0 },
	{ "an int in an array by what nobody can foretell",
	    OWN("slt", "  %s = xor i32 %b, 8\n"), FAR, MACHINE_BUDGET, NULL,
	    false, false, 0 },
	{ "what nobody can foretell", LOOP("ult", "mul i32 %b, 8", "zext", ""),
	    FAR, MACHINE_BUDGET, NULL, false, false, 0 },
	{ "few rounds are all run", LOOP("ult", "add i32 %b, 8", "zext", ""),
	    1001, MACHINE_DONE, NULL, false, true, 0 },
};

static void
check_row(size_t i, const struct program *p)
{
	const struct sparse_layout layout = { .kind = SPARSE_NUMBERS,
		.dtype = DTYPE_F32,
		.cols = 1,
		.stride = 1,
		.is_output = 1 };
	struct machine_launch l = { .ndims = 1,
		.global = { ITEMS, 1, 1 },
		.local = { ITEMS, 1, 1 },
		.nargs = 2,
		.order = MACHINE_SHUFFLED,
		.seed = i,
		.budget = BUDGET,
		.leaps = true };
	uint32_t *counters = xcalloc(p->ncounters + 1, sizeof *counters);
	struct machine_result r;
	bool is_last = false;

	l.args[0].sparse = &layout;
	l.args[0].bytes = (uint64_t)rows[i].n * 4;
	l.args[0].writable = true;
	l.args[1].number = rows[i].n;
	l.written = xcalloc(LISTED, sizeof *l.written);
	l.written_max = LISTED;
	CHECK_INT(machine_run(p, prog_kernel(p, "k"), &l, counters, &r),
	    rows[i].end, rows[i].what);
	if (rows[i].class)
		CHECK_STR(r.finding.class ? r.finding.class : "", rows[i].class,
		    rows[i].what);
	CHECK(r.is_inexact == rows[i].is_inexact, rows[i].what);
	for (uint64_t k = 0; k < r.nwritten && k < LISTED; k++) {
		uint64_t of = l.written[k].element,
		         back = (uint64_t)8 * rows[i].before;

		is_last |= of == rows[i].n - 1;
		if (back > 0 && of >= back)
			CHECK(l.written[k].value == (float)(of - back),
			    rows[i].what);
	}
	/* Each element once: those that leaps left out are counted. */
	/* Each writes an element twice. */
	CHECK(is_last || rows[i].before == 0, rows[i].what);
	if (rows[i].writes_last)
		CHECK(is_last && r.nwritten + r.skipped / 4 == rows[i].n,
		    rows[i].what);
	free(l.written);
	free(counters);
}

void t_leap(void); /* its caller is a generated table */

void
t_leap(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct program *p = NULL;
		struct why why = { "" };

		if (CHECK(prog_parse(rows[i].text, &p, &why) == ERR_OK,
		        rows[i].what))
			check_row(i, p);
		else
			printf("  %s\n", why.text);
		prog_free(p);
	}
}
