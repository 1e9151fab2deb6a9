/*
 * How often a loop goes round: what the machine counts, what is told of it
 * without a launch, and which loops constants alone decide.
 */
#include "lab/probe/condition.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>

#define NONE    1
#define ONCE    2
#define MANY    4
#define UNTOLD  COND_UNKNOWN
#define NUMBERS 64

/* A kernel of a buffer of numbers, each its own place, and of n. */
#define KERNEL(body)                                                           \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n  %k = alloca i32, align 4\n"                                 \
	"  %j = alloca i32, align 4\n"                                         \
	"  %size = call spir_func i64 @_Z14get_local_sizej(i32 0)\n"           \
	"  %local = trunc i64 %size to i32\n" body "}\n"
#define SET(slot, v)  "  store i32 " v ", i32* %" slot ", align 4\n"
#define GET(to, slot) "  %" to " = load i32, i32* %" slot ", align 4\n"
#define GO(to)        "  br label %" to "\n"
#define END           "end:\n  ret void\n"
#define ADD(slot, n)                                                           \
	GET(slot "w" #n, slot)                                                 \
	"  %" slot "s" #n " = add i32 %" slot "w" #n ", " #n                   \
	"\n" SET(slot, "%" slot "s" #n)

/* for (k = from; TEST; k += 8) BODY */
#define FOR(from, test)                                                        \
	SET("k", from)                                                         \
	GO("head")                                                             \
	"head:\n" GET("v",                                                     \
	    "k") "  %c = " test "\n"                                           \
	         "  br i1 %c, label %body, label %end\nbody:\n" ADD("k", 8)    \
	             GO("head") END

#define DO                                                                     \
	SET("k", "0")                                                          \
	GO("head")                                                             \
	"head:\n" ADD("k", 8) GO("test") "test:\n" GET("v",                    \
	    "k") "  %c = icmp ult i32 %v, %n\n"                                \
	         "  br i1 %c, label %head, label %end\n" END

/* while (k < n && x[k] < 3) k += 1: a phi is what decides. */
#define TWO                                                                    \
	SET("k", "0")                                                          \
	GO("head")                                                             \
	"head:\n" GET("v",                                                     \
	    "k") "  %a = icmp ult i32 %v, %n\n"                                \
	         "  br i1 %a, label %more, label %test\nmore:\n"               \
	         "  %z = zext i32 %v to i64\n"                                 \
	         "  %p = getelementptr inbounds i32, i32 addrspace(1)* %x, "   \
	         "i64 %z\n"                                                    \
	         "  %e = load i32, i32 addrspace(1)* %p, align 4\n"            \
	         "  %b = icmp ult i32 %e, 3\n  br label %test\ntest:\n"        \
	         "  %c = phi i1 [ false, %head ], [ %b, %more ]\n"             \
	         "  br i1 %c, label %body, label %end\nbody:\n" ADD("k", 1)    \
	             GO("head") END

/* for (;;) { FIRST if (k >= n) break; k += 8; } */
#define ENDLESS(first)                                                         \
	SET("k", "8")                                                          \
	GO("head")                                                             \
	"head:\n" GO("body") "body:\n" first GET("v",                          \
	    "k") "  %c = icmp uge i32 %v, %n\n"                                \
	         "  br i1 %c, label %end, label %on\non:\n" ADD("k", 8)        \
	             GO("head") END

/* for (k = 0; k < 32; k += 16) for (j = k + 8; j < n; j += 8) */
#define NESTED                                                                 \
	SET("k", "0")                                                          \
	GO("outer")                                                            \
	"outer:\n" GET("o",                                                    \
	    "k") "  %oc = icmp ult i32 %o, 32\n"                               \
	         "  br i1 %oc, label %begin, label %end\nbegin:\n" GET("f",    \
	             "k") "  %g = add i32 %f, 8\n" SET("j", "%g")              \
	             GO("head") "head:\n" GET("v",                             \
	                 "j") "  %c = icmp ult i32 %v, %n\n"                   \
	                      "  br i1 %c, label %body, label "                \
	                      "%next\nbody:\n" ADD("j", 8)                     \
	                          GO("head") "next:\n" ADD("k", 16)            \
	                              GO("outer") END

/* j = 16; if (n < 9) j = 8; for (k = 0; k < j; k += 8) */
#define CHOSEN                                                                 \
	SET("j", "16")                                                         \
	"  %q = icmp ult i32 %n, 9\n"                                          \
	"  br i1 %q, label %less, label %go\nless:\n" SET("j", "8") GO(        \
	    "go") "go:\n" SET("k", "0") GO("head") "head:\n" GET("v",          \
	    "k") GET("u",                                                      \
	    "j") "  %c = icmp ult i32 %v, %u\n"                                \
	         "  br i1 %c, label %body, label %end\nbody:\n" ADD("k", 8)    \
	             GO("head") END

static const struct {
	const char *what, *text;
	uint32_t n;
	unsigned outcomes; /* that the machine counts, of the last loop */
	int told;
	bool is_constant;
} rows[] = {
	{ "a loop that is not begun", KERNEL(FOR("8", "icmp ult i32 %v, %n")),
	    8, NONE, 0, false },
	{ "one round", KERNEL(FOR("8", "icmp ult i32 %v, %n")), 16, ONCE, 1,
	    false },
	{ "two rounds", KERNEL(FOR("8", "icmp ult i32 %v, %n")), 17, MANY, 2,
	    false },
	{ "many", KERNEL(FOR("0", "icmp ult i32 %v, %n")), 60, MANY, 2, false },
	{ "the least of a loop that is tested behind its round", KERNEL(DO), 3,
	    ONCE, 1, false },
	{ "its second round", KERNEL(DO), 9, MANY, 2, false },
	{ "a test of two parts, the first of which ends it", KERNEL(TWO), 0,
	    NONE, UNTOLD, false },
	{ "the second", KERNEL(TWO), 60, MANY, UNTOLD, false },
	{ "left at once where nothing stands before the test",
	    KERNEL(ENDLESS("")), 8, NONE, 0, false },
	{ "where something does", KERNEL(ENDLESS(SET("j", "1"))), 8, ONCE, 1,
	    false },
	{ "a loop in another one: two rounds, then none", KERNEL(NESTED), 24,
	    NONE | MANY, 2, false },
	{ "one, then none", KERNEL(NESTED), 16, NONE | ONCE, 1, false },
	{ "constants alone", KERNEL(FOR("0", "icmp ult i32 %v, 64")), 5, MANY,
	    2, true },
	{ "from a local size that is one",
	    KERNEL(FOR("%local", "icmp ult i32 %v, 16")), 5, MANY, 2, true },
	{ "to a variable that a size may change", KERNEL(CHOSEN), 5, ONCE,
	    UNTOLD, false },
};

static void
run_row(size_t i, const struct program *p)
{
	static const bool is_fixed[3] = { true, true, true };
	uint32_t buffer[NUMBERS], *counters;
	const struct machine_launch l = { .ndims = 1,
		.global = { 1, 1, 1 },
		.local = { 1, 1, 1 },
		.args = { { .data = (unsigned char *)buffer,
		              .bytes = sizeof buffer,
		              .writable = true },
		    { .number = rows[i].n } },
		.nargs = 2,
		.budget = 10000 };
	const struct cond_place at = { .args = { 0, rows[i].n },
		.ndims = 1,
		.global = { 1, 1, 1 },
		.local = { 1, 1, 1 } };
	struct cond *c = cond_new(p, prog_kernel(p, "k"));
	unsigned outcomes = 0;
	struct machine_result r;
	size_t loop = p->npoints;

	for (uint32_t k = 0; k < NUMBERS; k++)
		buffer[k] = k;
	counters = xcalloc(p->ncounters + 1, sizeof *counters);
	machine_run(p, prog_kernel(p, "k"), &l, counters, &r);
	/* The inner one of two comes last in each text. */
	for (size_t k = 0; k < p->npoints; k++)
		if (p->points[k].kind == PROG_POINT_LOOP &&
		    (loop == p->npoints ||
		        p->points[k].block > p->points[loop].block))
			loop = k;
	if (CHECK(loop < p->npoints, rows[i].what)) {
		for (uint32_t o = 0; o < 3; o++)
			outcomes |=
			    (unsigned)(counters[p->points[loop].first + o] > 0)
			    << o;
		CHECK_INT(outcomes, rows[i].outcomes, rows[i].what);
		CHECK_INT(cond_outcome(c, loop, &at), rows[i].told,
		    rows[i].what);
		CHECK_INT(cond_constants_decide(c, loop, is_fixed),
		    rows[i].is_constant, rows[i].what);
	}
	cond_free(c);
	free(counters);
}

void t_loop_rounds(void); /* its caller is a generated table */

void
t_loop_rounds(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct program *p = NULL;
		struct why why;

		if (!CHECK(prog_parse(rows[i].text, &p, &why) == ERR_OK,
		        rows[i].what)) {
			printf("  %s\n", why.text);
			continue;
		}
		run_row(i, p);
		prog_free(p);
	}
}
