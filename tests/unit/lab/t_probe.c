/*
 * The machine that runs a candidate's IR (lab/probe): which outcomes it
 * counts, what it finds, what is proved impossible, and that no text of any
 * kind makes it fail otherwise than by a message.
 */
#include "lab/probe/builtin.h"
#include "lab/probe/condition.h"
#include "lab/probe/machine_priv.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS 8

/* A kernel of a buffer of ITEMS numbers, and of n; body: its blocks. */
#define KERNEL(body)                                                           \
	"@t = internal addrspace(3) global [8 x i32] undef, align 4\n"         \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n"                                                             \
	"  %id = call spir_func i64 @_Z13get_global_idj(i32 0)\n"              \
	"  %i = trunc i64 %id to i32\n"                                        \
	"  %p = getelementptr inbounds i32, i32 addrspace(1)* %x, i64 %id\n"   \
	"  %o = getelementptr inbounds [8 x i32], [8 x i32] addrspace(3)* @t," \
	" i64 0, i64 %id\n" body "}\n"

#define LAST                                                                   \
	"  br label %end\nend:\n"                                              \
	"  store i32 1, i32 addrspace(1)* %p\n  ret void\n"

#define LOOP(from, step, to)                                                   \
	"  %k = alloca i32, align 4\n"                                         \
	"  store i32 " from ", i32* %k, align 4\n  br label %head\nhead:\n"    \
	"  %v = load i32, i32* %k, align 4\n  %c = " to "\n"                   \
	"  br i1 %c, label %body, label %end\nbody:\n"                         \
	"  %w = load i32, i32* %k, align 4\n  %s = add i32 %w, " step "\n"     \
	"  store i32 %s, i32* %k, align 4\n  br label %head\n"                 \
	"end:\n  store i32 1, i32 addrspace(1)* %p\n  ret void\n"

/* Two comparisons of %k. */
#define TWICE(between)                                                         \
	"  %k = alloca i32, align 4\n  %z = alloca i32, align 4\n"             \
	"  store i32 %i, i32* %k, align 4\n  br label %head\nlow:\n" between   \
	"  %v = load i32, i32* %k, align 4\n  %w = add i32 %v, 0\n"            \
	"  %c = icmp ult i32 %w, 8\n  br i1 %c, label %on, label %end\n"       \
	"head:\n  %q = load i32, i32* %k, align 4\n"                           \
	"  %d = icmp ult i32 %q, 8\n  br i1 %d, label %low, label "            \
	"%end\non:\n" LAST

/* The second one in a loop, which steps on and goes back to one of them. */
#define AROUND(back)                                                           \
	"  %k = alloca i32, align 4\n"                                         \
	"  store i32 %i, i32* %k, align 4\n  br label %head\nlow:\n"           \
	"  %v = load i32, i32* %k, align 4\n"                                  \
	"  %c = icmp ult i32 %v, 8\n  br i1 %c, label %step, label %end\n"     \
	"head:\n  %q = load i32, i32* %k, align 4\n"                           \
	"  %d = icmp ult i32 %q, 8\n  br i1 %d, label %low, label %end\n"      \
	"step:\n  %s = add i32 %v, 1\n  store i32 %s, i32* %k, align 4\n"      \
	"  br label %" back "\nend:\n"                                         \
	"  store i32 1, i32 addrspace(1)* %p\n  ret void\n"

struct row {
	const char *what, *text;
	uint32_t n;
	const char *class; /* found, or NULL */
	unsigned outcomes; /* of a point, a bit each */
	unsigned impossible;
};

/* The first point of each. */
static const struct row rows[] = {
	{ "a guard that is never needed",
	    KERNEL("  %c = icmp uge i32 %i, %n\n"
	           "  br i1 %c, label %end, label %on\non:\n" LAST),
	    ITEMS, NULL, 1, 2 },
	{ "a guard that cuts",
	    KERNEL("  %c = icmp uge i32 %i, 5\n"
	           "  br i1 %c, label %end, label %on\non:\n" LAST),
	    ITEMS, NULL, 3, 0 },
	{ "a size against zero",
	    KERNEL("  %c = icmp eq i32 %n, 0\n"
	           "  br i1 %c, label %end, label %on\non:\n" LAST),
	    ITEMS, NULL, 1, 2 },
	{ "a size against a constant is possible either way",
	    KERNEL("  %c = icmp eq i32 %n, 77777\n"
	           "  br i1 %c, label %end, label %on\non:\n" LAST),
	    ITEMS, NULL, 1, 0 },
	{ "one size hidden in a product is not proved away",
	    KERNEL("  %q = sub i32 %n, 77777\n  %r = udiv i32 1, %q\n"
	           "  %s = add i32 %n, %r\n  %c = icmp ugt i32 %i, %s\n"
	           "  br i1 %c, label %end, label %on\non:\n" LAST),
	    ITEMS, NULL, 1, 0 },
	{ "a difference that a size makes negative",
	    KERNEL("  %d = sub i32 77777, %n\n  %c = icmp slt i32 %d, 0\n"
	           "  br i1 %c, label %end, label %on\non:\n" LAST),
	    ITEMS, NULL, 1, 0 },
	{ "an item's number below zero",
	    KERNEL("  %d = sdiv i32 %i, 2\n  %c = icmp slt i32 %d, 0\n"
	           "  br i1 %c, label %end, label %on\non:\n" LAST),
	    ITEMS, NULL, 1, 2 },
	{ "a loop that is never begun",
	    KERNEL(LOOP("8", "8", "icmp ult i32 %v, 8")), ITEMS, NULL, 1, 2 },
	{ "one that is", KERNEL(LOOP("0", "8", "icmp ult i32 %v, 8")), ITEMS,
	    NULL, 3, 0 },
	{ "one that a size may begin",
	    KERNEL(LOOP("8", "8", "icmp ult i32 %v, %n")), ITEMS, NULL, 1, 0 },
	{ "one that no size begins",
	    KERNEL(LOOP("0", "1", "icmp uge i32 %v, %n")), ITEMS, NULL, 1, 2 },
	{ "one that counts from below zero",
	    KERNEL(LOOP("-1", "1", "icmp slt i32 %v, 0")), ITEMS, NULL, 3, 0 },
	{ "one that begins where an item does",
	    KERNEL("  %k = alloca i32, align 4\n"
	           "  store i32 8, i32* %k, align 4\n"
	           "  %b = icmp eq i32 %n, 77777\n"
	           "  br i1 %b, label %low, label %head\nlow:\n"
	           "  store i32 %i, i32* %k, align 4\n  br label %head\n"
	           "head:\n  %v = load i32, i32* %k, align 4\n"
	           "  %c = icmp ult i32 %v, 8\n"
	           "  br i1 %c, label %body, label %end\nbody:\n"
	           "  store i32 9, i32* %k, align 4\n  br label %head\n"
	           "end:\n  store i32 1, i32 addrspace(1)* %p\n"
	           "  ret void\n"),
	    ITEMS, NULL, 1, 0 },
	{ "a switch over a remainder that has a case for each",
	    KERNEL("  %d = urem i32 %n, 3\n  switch i32 %d, label %on [\n"
	           "    i32 0, label %end\n    i32 1, label %end\n"
	           "    i32 2, label %end\n    i32 7, label %end\n  "
	           "]\non:\n" LAST),
	    ITEMS, NULL, 4, 24 },
	{ "one that has none for one of them",
	    KERNEL("  %d = and i32 %n, 3\n  switch i32 %d, label %on [\n"
	           "    i32 0, label %end\n    i32 1, label %end\n"
	           "    i32 3, label %end\n  ]\non:\n" LAST),
	    ITEMS, NULL, 1, 0 },
	{ "one over a number that may be negative",
	    KERNEL("  %d = srem i32 %i, 2\n  switch i32 %d, label %on [\n"
	           "    i32 0, label %end\n    i32 1, label %end\n"
	           "  ]\non:\n" LAST),
	    ITEMS, NULL, 3, 0 },
	{ "a select",
	    KERNEL("  %c = icmp ult i32 %i, 3\n"
	           "  %v = select i1 %c, i32 1, i32 2\n" LAST),
	    ITEMS, NULL, 3, 0 },
	{ "a write behind the buffer",
	    KERNEL("  %q = getelementptr inbounds i32, i32 addrspace(1)* %p,"
	           " i64 1\n  store i32 1, i32 addrspace(1)* %q\n" LAST),
	    ITEMS, "out_of_bounds", 0, 0 },
	{ "one array's end is not the next one's beginning",
	    KERNEL("  %a = alloca [4 x i32], align 4\n"
	           "  %b = alloca [4 x i32], align 4\n"
	           "  %q = getelementptr inbounds [4 x i32], [4 x i32]* %a,"
	           " i64 0, i64 %id\n"
	           "  store i32 1, i32* %q, align 4\n" LAST),
	    ITEMS, "out_of_bounds", 0, 0 },
	{ "nor the one before it its own",
	    KERNEL("  %a = alloca [4 x i32], align 4\n"
	           "  %b = alloca [4 x i32], align 4\n"
	           "  %q = getelementptr inbounds [4 x i32], [4 x i32]* %b,"
	           " i64 0, i64 -1\n"
	           "  store i32 1, i32* %q, align 4\n" LAST),
	    ITEMS, "out_of_bounds", 0, 0 },
	{ "of a table as of a group's memory",
	    "@c = internal addrspace(2) constant [4 x i32] [i32 1, i32 2,"
	    " i32 3, i32 4], align 4\n"
	    "@d = internal addrspace(2) constant [8 x i32] zeroinitializer,"
	    " align 4\n" KERNEL(
	        "  %q = getelementptr inbounds [4 x i32], [4 x i32]"
	        " addrspace(2)* @c, i64 0, i64 %id\n"
	        "  %v = load i32, i32 addrspace(2)* %q, align 4\n" LAST),
	    ITEMS, "out_of_bounds", 0, 0 },
	{ "two numbers at once, where only one may begin",
	    KERNEL("  %q = getelementptr inbounds i32, i32 addrspace(1)* %x,"
	           " i64 1\n"
	           "  %w = bitcast i32 addrspace(1)* %q to"
	           " <2 x i32> addrspace(1)*\n"
	           "  %v = load <2 x i32>, <2 x i32> addrspace(1)* %w,"
	           " align 8\n" LAST),
	    ITEMS, "misaligned", 0, 0 },
	{ "a write of two behind a size",
	    KERNEL("  %c = icmp ugt i32 %n, 4\n"
	           "  br i1 %c, label %wide, label %end\nwide:\n"
	           "  %q = getelementptr inbounds i32, i32 addrspace(1)* %x,"
	           " i64 1\n"
	           "  %w = bitcast i32 addrspace(1)* %q to"
	           " i64 addrspace(1)*\n"
	           "  store i64 1, i64 addrspace(1)* %w, align 8\n" LAST),
	    ITEMS, "misaligned", 2, 0 },
	{ "the same two, said to be anywhere",
	    KERNEL("  %q = getelementptr inbounds i32, i32 addrspace(1)* %x,"
	           " i64 1\n"
	           "  %w = bitcast i32 addrspace(1)* %q to"
	           " <2 x i32> addrspace(1)*\n"
	           "  %v = load <2 x i32>, <2 x i32> addrspace(1)* %w,"
	           " align 4\n"
	           "  call spir_func void @_Z7barrierj(i32 3)\n" LAST),
	    ITEMS, NULL, 0, 0 },
	{ "a neighbour's value without a barrier",
	    KERNEL("  store i32 %i, i32 addrspace(3)* %o\n"
	           "  %d = xor i64 %id, 1\n"
	           "  %q = getelementptr inbounds [8 x i32], [8 x i32]"
	           " addrspace(3)* @t, i64 0, i64 %d\n"
	           "  %v = load i32, i32 addrspace(3)* %q\n" LAST),
	    ITEMS, "race", 0, 0 },
	{ "a neighbour's value behind one",
	    KERNEL("  store i32 %i, i32 addrspace(3)* %o\n"
	           "  call spir_func void @_Z7barrierj(i32 1)\n"
	           "  %d = xor i64 %id, 1\n"
	           "  %q = getelementptr inbounds [8 x i32], [8 x i32]"
	           " addrspace(3)* @t, i64 0, i64 %d\n"
	           "  %v = load i32, i32 addrspace(3)* %q\n" LAST),
	    ITEMS, NULL, 0, 0 },
	{ "a barrier that some do not reach",
	    KERNEL("  %c = icmp ult i32 %i, 3\n"
	           "  br i1 %c, label %wait, label %end\nwait:\n"
	           "  call spir_func void @_Z7barrierj(i32 1)\n" LAST),
	    ITEMS, "divergence", 3, 0 },
};

/* Two comparisons as numbers: %one is 1 for the items below a, %two for those
 * above b. */
#define TWO(a, b)                                                              \
	"  %ca = icmp ult i32 %i, " #a "\n  %one = zext i1 %ca to i32\n"       \
	"  %cb = icmp ugt i32 %i, " #b "\n  %two = zext i1 %cb to i32\n"
#define REAL                                                                   \
	"  %fx = uitofp i32 %one to float\n  %fy = uitofp i32 %two to float\n" \
	"  %v = uitofp i32 %n to float\n"

/* What decisions make together: the outcomes of the last such point. */
static const struct {
	const char *what, *text;
	unsigned points, outcomes;
} combined[] = {
	{ "a product that is never true",
	    KERNEL(TWO(3, 4) "  %m = mul i32 %one, %two\n" LAST), 1, 1 },
	{ "a product that is",
	    KERNEL(TWO(5, 3) "  %m = mul i32 %one, %two\n" LAST), 1, 3 },
	{ "an and", KERNEL(TWO(3, 4) "  %m = and i32 %one, %two\n" LAST), 1,
	    1 },
	{ "the lesser of two",
	    KERNEL(TWO(3, 4) "  %m = call spir_func i32 @_Z3minjj(i32 %one,"
	                     " i32 %two)\n" LAST),
	    1, 1 },
	{ "half a sum",
	    KERNEL(TWO(3, 4) "  %s = add i32 %one, %two\n"
	                     "  %m = lshr i32 %s, 1\n" LAST),
	    2, 1 },
	{ "a sum in an index: each value",
	    KERNEL(TWO(3,
	        4) "  %s = add i32 %one, %two\n  %w = add i32 %s, %n\n" LAST),
	    1, 3 },
	{ "data behind one flag, then another",
	    KERNEL(TWO(3, 4) REAL "  %p1 = fmul float %v, %fx\n"
	                          "  %p2 = fmul float %p1, %fy\n" LAST),
	    2, 1 },
	{ "the same, met",
	    KERNEL(TWO(5, 3) REAL "  %p1 = fmul float %v, %fx\n"
	                          "  %p2 = fmul float %p1, %fy\n" LAST),
	    2, 3 },
	{ "data behind a flag, contracted",
	    KERNEL(TWO(3, 4) REAL
	        "  %p1 = fmul float %v, %fx\n"
	        "  %p2 = call float @llvm.fmuladd.f32(float %p1, float %fy,"
	        " float %v)\n" LAST),
	    2, 1 },
	{ "a variable that two decisions set",
	    KERNEL("  %q = alloca i32\n  store i32 1, i32* %q\n" TWO(3,
	        4) "  %q1 = load i32, i32* %q\n  %q2 = mul i32 %q1, %one\n"
	           "  store i32 %q2, i32* %q\n"
	           "  %q3 = load i32, i32* %q\n  %q4 = mul i32 %q3, %two\n"
	           "  store i32 %q4, i32* %q\n" LAST),
	    1, 1 },
	{ "a choice of numbers by one, times the other",
	    KERNEL(TWO(3, 4) "  %s = select i1 %ca, i32 4, i32 0\n"
	                     "  %m = mul i32 %s, %two\n" LAST),
	    1, 1 },
	{ "a comparison times what a minimum cut off",
	    KERNEL(TWO(3, 9) "  %s = call spir_func i32 @_Z3minjj(i32 %n, i32"
	                     " 100)\n  %d = sub i32 %n, %s\n"
	                     "  %m = mul i32 %d, %one\n" LAST),
	    1, 1 },
	{ "no decision", KERNEL("  %m = mul i32 %i, %n\n" LAST), 0, 0 },
	{ "one decision and a constant",
	    KERNEL(TWO(3, 4) "  %m = mul i32 %one, 7\n" LAST), 0, 0 },
	{ "a bit that a shift leaves",
	    KERNEL("  %s = lshr i32 %n, 31\n  %w = add i32 %s, %n\n" LAST), 1,
	    1 },
	{ "a bit that a mask leaves, both ways",
	    KERNEL("  %s = and i32 %i, 4\n  %w = add i32 %s, %n\n" LAST), 1,
	    3 },
	{ "a bit that a comparison takes",
	    KERNEL("  %s = lshr i32 %n, 31\n  %w = icmp ne i32 %s, 0\n" LAST),
	    0, 0 },
	{ "leading zeros, cut to a bit",
	    KERNEL("  %s = call spir_func i32 @_Z3clzj(i32 %n)\n"
	           "  %t = lshr i32 %s, 5\n  %w = add i32 %t, %n\n" LAST),
	    1, 1 },
	{ "a count of bits, cut to a bit",
	    KERNEL("  %s = call spir_func i32 @_Z8popcountj(i32 %n)\n"
	           "  %a = add i32 %s, 31\n  %t = udiv i32 %a, 32\n"
	           "  %w = add i32 %t, %n\n" LAST),
	    1, 2 },
	{ "leading zeros as they are",
	    KERNEL("  %s = call spir_func i32 @_Z3clzj(i32 %n)\n"
	           "  %t = lshr i32 %s, 2\n  %w = add i32 %t, %n\n" LAST),
	    0, 0 },
	{ "a constant that a number is never",
	    KERNEL("  %s = xor i32 %n, 97\n  %w = add i32 %s, %n\n" LAST), 1,
	    2 },
	{ "two bits that a mask leaves",
	    KERNEL("  %s = and i32 %n, 24\n  %w = add i32 %s, %n\n" LAST), 1,
	    1 },
	{ "a difference that saturates",
	    KERNEL("  %s = call spir_func i32 @_Z7sub_satjj(i32 1, i32 %n)\n"
	           "  %w = add i32 %s, %n\n" LAST),
	    1, 1 },
	{ "a shift by what is no constant",
	    KERNEL("  %s = lshr i32 %n, %i\n  %w = add i32 %s, %n\n" LAST), 1,
	    3 },
	{ "a constant that a number is",
	    KERNEL("  %s = xor i32 %i, 5\n  %w = add i32 %s, %n\n" LAST), 1,
	    3 },
	{ "a flipped sign",
	    KERNEL("  %s = xor i32 %n, -2147483648\n"
	           "  %w = add i32 %s, %n\n" LAST),
	    0, 0 },
};

static void
run_combined(size_t i)
{
	uint32_t buffer[ITEMS] = { 0 }, *counters;
	const struct machine_launch l = { .ndims = 1,
		.global = { ITEMS, 1, 1 },
		.local = { ITEMS, 1, 1 },
		.args = { { .data = (unsigned char *)buffer,
		              .bytes = sizeof buffer,
		              .writable = true },
		    { .number = 5 } },
		.nargs = 2,
		.budget = 10000 };
	struct program *p = NULL;
	struct machine_result r;
	unsigned outcomes = 0, points = 0;
	struct why why;

	if (!CHECK(prog_parse(combined[i].text, &p, &why) == ERR_OK,
	        combined[i].what))
		return;
	counters = xcalloc(p->ncounters + 1, sizeof *counters);
	machine_run(p, prog_kernel(p, "k"), &l, counters, &r);
	for (size_t n = 0; n < p->ncombined; n++) {
		const struct prog_point *pt = &p->points[p->combined[n].point];

		if (pt->kind == PROG_POINT_QUOTIENT)
			continue;
		points++;
		outcomes = 0;
		for (uint32_t o = 0; o < pt->outcomes; o++)
			outcomes |= counters[pt->first + o] > 0 ? 1U << o : 0;
	}
	CHECK_INT(points, combined[i].points, combined[i].what);
	CHECK_INT(outcomes, combined[i].outcomes, combined[i].what);
	free(counters);
	prog_free(p);
}

/* A device errs by what it may, after its rounding, and not by more. */
static void
check_errors(void)
{
	static const struct prog_builtin three = { .ulps = 3 };
	struct machine *m = xcalloc(1, sizeof *m);
	double most = 0.0;

	for (uint32_t i = 0; i < 20000; i++) {
		double exact = ldexp(1.0 + i / 20000.0 / 7.0, (int)(i % 60));
		double got = builtin_err(m, &three, 1.0, exact, 32);
		int e;

		frexp(exact, &e);
		most = fmax(most, fabs(got - exact) / ldexp(1.0, e - 24));
		if (!CHECK((double)(float)got == got, "it is a float"))
			break;
	}
	CHECK(most <= 3.0 && most > 2.5, "three ulps are three");
	CHECK(isinf(builtin_err(m, &three, 1.0, 1e300, 32)),
	    "past the range stays past it");
	CHECK(builtin_err(m, &three, 0.0, 1.0, 32) == 1.0, "exp(0) is 1");
	free(m);
}

/* The second. */
static const struct row second_rows[] = {
	{ "a comparison once more", KERNEL(TWICE("")), ITEMS, NULL, 2, 1 },
	{ "one of a variable that was written in between",
	    KERNEL(TWICE("  store i32 9, i32* %k, align 4\n")), ITEMS, NULL, 1,
	    0 },
	{ "one of another variable",
	    KERNEL(TWICE("  store i32 %i, i32* %z, align 4\n")), ITEMS, NULL, 2,
	    1 },
	{ "one whose loop writes behind it", KERNEL(AROUND("low")), ITEMS, NULL,
	    3, 0 },
	{ "one whose loop asks before each round", KERNEL(AROUND("head")),
	    ITEMS, NULL, 2, 1 },
};

static bool
geometry(void *arg, struct cond_place *at)
{
	(void)arg;
	at->ndims = 1;
	at->global[0] = at->args[1];
	at->local[0] = at->global[1] = at->local[1] = 1;
	at->global[2] = at->local[2] = 1;
	return at->args[1] > 0;
}

static void
run_row(const struct row *row, size_t point, const struct program *p)
{
	const struct prog_function *k = prog_kernel(p, "k");
	const struct cond_facts facts = { .is_size = { false, true },
		.least = { 0, 1 },
		.not_less = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		    -1, -1, -1, -1 },
		.geometry = geometry };
	uint32_t buffer[ITEMS] = { 0 };
	uint32_t *counters = xcalloc(p->ncounters + 1, sizeof *counters);
	const struct machine_launch l = { .ndims = 1,
		.global = { ITEMS, 1, 1 },
		.local = { ITEMS, 1, 1 },
		.args = { { .data = (unsigned char *)buffer,
		              .bytes = sizeof buffer,
		              .writable = true },
		    { .number = row->n } },
		.nargs = 2,
		.budget = 10000 };
	struct cond *c = cond_new(p, k);
	unsigned outcomes = 0, impossible = 0;
	struct machine_result r;

	machine_run(p, k, &l, counters, &r);
	for (uint32_t o = 0;
	     point < p->npoints && o < p->points[point].outcomes; o++) {
		const struct prog_point *pt = &p->points[point];

		outcomes |= (unsigned)(counters[pt->first + o] > 0) << o;
		impossible |= (unsigned)cond_is_impossible(c, point, o, &facts)
		    << o;
	}
	CHECK_STR(r.finding.class ? r.finding.class : "",
	    row->class ? row->class : "", row->what);
	CHECK_INT(outcomes, row->outcomes, row->what);
	CHECK_INT(impossible, row->impossible, row->what);
	cond_free(c);
	free(counters);
}

/* Cut anywhere, and with any byte another one. */
static void
spoil(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++) {
		char *bad = xstrdup(text);
		struct program *p = NULL;
		struct why why = { "" };

		bad[i] = "\0(9"[i % 3];
		if (prog_parse(bad, &p, &why) == ERR_OK)
			prog_free(p);
		else
			CHECK(why.text[0], "a refused text has its reason");
		free(bad);
	}
}

/* What clang never writes, and a fuzzer did. */
static const struct {
	const char *what, *text, *why;
} odd[] = {
	{ "a variable twice, in two places of memory",
	    "@t = internal addrspace(3) global [8 x i32] undef\n"
	    "@t = internal constant [8 x i32] zeroinitializer\n",
	    "there twice" },
	{ "a function in another one",
	    "define void @f() {\ndefine void @g() {\nentry:\n  ret void\n}\n",
	    "in another one" },
	{ "a structure as the number of an element",
	    KERNEL("  %v = load i32, i32* getelementptr ([8 x i32],"
	           " [8 x i32]* @t, {i64, i64} {i64 1, i64 2})\n" LAST),
	    "no number" },
	{ "a predicate of the other comparison",
	    KERNEL("  %c = icmp oeq i32 %i, 3\n" LAST), "no predicate" },
	{ "floats in whole arithmetic",
	    KERNEL("  %c = add float 1.0, 2.0\n" LAST), "go together" },
	{ "whole numbers among floats",
	    KERNEL("  %c = fcmp oeq i32 %i, 3\n" LAST), "go together" },
	{ "a cast that widens by narrowing",
	    KERNEL("  %c = trunc i32 %i to i64\n" LAST), "go together" },
	{ "more lanes than there were",
	    KERNEL("  %c = sext i32 %i to <4 x i64>\n" LAST), "go together" },
	{ "bytes that a cast makes",
	    KERNEL("  %c = bitcast i32 %i to <4 x i32>\n" LAST),
	    "go together" },
	{ "a value of two widths", KERNEL("  %c = add i64 %i, 1\n" LAST),
	    "two types" },
	{ "a value that nothing makes",
	    KERNEL("  %c = add i32 %i, %nobody\n" LAST), "nothing makes" },
	{ "a choice by a number",
	    KERNEL("  %c = select i32 %i, i32 1, i32 2\n" LAST),
	    "by no condition" },
	{ "a choice between two types",
	    KERNEL("  %c = select i1 true, i32 1, i64 2\n" LAST), "differ" },
	{ "a load from a number", KERNEL("  %c = load i32, i64 %id\n" LAST),
	    "no address" },
	{ "a lane of another kind",
	    KERNEL("  %c = insertelement <2 x float> zeroinitializer,"
	           " i32 %i, i32 0\n" LAST),
	    "differ" },
	{ "a constant with a lane too few",
	    KERNEL("  %c = add <2 x i32> <i32 1>, <i32 1, i32 2>\n" LAST),
	    "less values" },
	{ "an answer where none is due", KERNEL("  ret i32 1\n"), "differ" },
	{ "code behind an end", KERNEL("  ret void\n  ret void\n"),
	    "behind a block's end" },
	{ "a block that begins twice", KERNEL(LAST "end:\n  ret void\n"),
	    "begins twice" },
	{ "a way back to the entry", KERNEL("  br label %entry\n"),
	    "back to the entry" },
};

/* What a compiler does write: a comparison's lanes are a vector. */
static void
check_masks(void)
{
	static const char text[] = KERNEL(
	    "  %v = insertelement <4 x i32> zeroinitializer, i32 %i,"
	    " i32 0\n"
	    "  %c = icmp ult <4 x i32> %v, <i32 1, i32 2, i32 3, i32 4>\n"
	    "  %m = sext <4 x i1> %c to <4 x i32>\n"
	    "  %l = extractelement <4 x i32> %m, i64 0\n" LAST);
	struct program *p = NULL;
	struct why why = { "" };

	if (!CHECK(prog_parse(text, &p, &why) == ERR_OK, "a vector's mask"))
		printf("  %s\n", why.text);
	prog_free(p);
}

static void
check_odd(void)
{
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		struct program *p = NULL;
		struct why why = { "" };

		CHECK(prog_parse(odd[i].text, &p, &why) != ERR_OK, odd[i].what);
		if (!CHECK(strstr(why.text, odd[i].why), odd[i].what))
			printf("  %s\n", why.text);
		prog_free(p);
	}
}

void t_probe(void); /* its caller is a generated table */

static void
parse_and_run(const struct row *row, size_t point)
{
	struct program *p = NULL;
	struct why why;

	if (!CHECK(prog_parse(row->text, &p, &why) == ERR_OK, row->what)) {
		printf("  %s\n", why.text);
		return;
	}
	run_row(row, point, p);
	prog_free(p);
	spoil(row->text);
}

void
t_probe(void)
{
	check_odd();
	check_masks();
	for (size_t i = 0; i < COUNT(rows); i++)
		parse_and_run(&rows[i], 0);
	for (size_t i = 0; i < COUNT(second_rows); i++)
		parse_and_run(&second_rows[i], 1);
	check_errors();
	for (size_t i = 0; i < sizeof combined / sizeof combined[0]; i++) {
		run_combined(i);
		spoil(combined[i].text);
	}
}
