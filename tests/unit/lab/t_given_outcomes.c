/*
 * A run that is given an outcome of one point comes out as if the program had
 * come to it, and where another point's is given as it is.
 */
#include "base/mem.h"
#include "lab/probe/machine.h"
#include "tests/unit.h"
#include <stdlib.h>

/* A kernel that stores %v, of a buffer and n. */
#define KERNEL(body)                                                           \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n" body "  store i32 %v, i32 addrspace(1)* %x, align 4\n"      \
	"  ret void\n}\n"
#define WAYS                                                                   \
	"a:\n  br label %end\nb:\n  br label %end\n"                           \
	"end:\n  %v = phi i32 [ 10, %a ], [ 20, %b ]\n"

static const struct {
	const char *what, *text;
	enum prog_point_kind kind; /* of the first such point: */
	uint32_t outcome, n;
	uint32_t is, given; /* what is stored */
} rows[] = {
	{ "a comparison that a select takes",
	    KERNEL("  %c = icmp ult i32 %n, 3\n"
	           "  %v = select i1 %c, i32 10, i32 20\n"),
	    PROG_POINT_COMPARE, 1, 7, 20, 10 },
	{ "a comparison that is a number",
	    KERNEL("  %c = icmp ugt i32 %n, 3\n  %v = zext i1 %c to i32\n"),
	    PROG_POINT_COMPARE, 0, 7, 1, 0 },
	{ "a comparison of floats",
	    KERNEL("  %f = uitofp i32 %n to float\n"
	           "  %c = fcmp oeq float %f, 3.0\n"
	           "  br i1 %c, label %a, label %b\n" WAYS),
	    PROG_POINT_COMPARE, 1, 7, 20, 10 },
	{ "a bit that a branch asks for",
	    KERNEL("  %c = trunc i32 %n to i1\n"
	           "  br i1 %c, label %a, label %b\n" WAYS),
	    PROG_POINT_BRANCH, 0, 7, 10, 20 },
	{ "a case",
	    KERNEL(
	        "  switch i32 %n, label %b [\n    i32 1, label %a\n  ]\n" WAYS),
	    PROG_POINT_SWITCH, 0, 7, 20, 10 },
	{ "the default",
	    KERNEL(
	        "  switch i32 %n, label %b [\n    i32 1, label %a\n  ]\n" WAYS),
	    PROG_POINT_SWITCH, 1, 1, 10, 20 },
	{ "the larger one",
	    KERNEL("  %v = call spir_func i32 @_Z3minjj(i32 %n, i32 3)\n"),
	    PROG_POINT_CHOICE, 0, 7, 3, 7 },
	{ "the smaller one",
	    KERNEL("  %v = call spir_func i32 @_Z3maxjj(i32 %n, i32 3)\n"),
	    PROG_POINT_CHOICE, 1, 7, 7, 3 },
	{ "what is above the limits",
	    KERNEL("  %v = call spir_func i32 @_Z5clampjjj(i32 %n, i32 1, "
	           "i32 3)\n"),
	    PROG_POINT_CHOICE, 1, 7, 3, 7 },
	{ "the larger float",
	    KERNEL("  %f = uitofp i32 %n to float\n"
	           "  %m = call spir_func float @_Z4fminff(float %f, "
	           "float 3.0)\n  %v = fptoui float %m to i32\n"),
	    PROG_POINT_CHOICE, 0, 7, 3, 7 },
	{ "nothing, where there are bits",
	    KERNEL("  %s = call spir_func i32 @_Z3clzj(i32 %n)\n"
	           "  %v = lshr i32 %s, 5\n"),
	    PROG_POINT_BITS, 0, 0, 1, 0 },
};

/* point: PROG_NO_POINT: none. */
static uint32_t
run(const struct program *p, size_t row, uint32_t point)
{
	const struct prog_given given[] = { { (uint32_t)p->npoints, 1 },
		{ point, rows[row].outcome } };
	uint32_t buffer[1] = { 0 };
	uint32_t *counters = xcalloc(p->ncounters + 1, sizeof *counters);
	const struct machine_launch l = { .ndims = 1,
		.global = { 1, 1, 1 },
		.local = { 1, 1, 1 },
		.args = { { .data = (unsigned char *)buffer,
		              .bytes = sizeof buffer,
		              .writable = true },
		    { .number = rows[row].n } },
		.nargs = 2,
		.budget = 1000,
		.given = given,
		.ngiven = point == PROG_NO_POINT ? 1 : 2 };
	struct machine_result r;

	CHECK_INT(machine_run(p, prog_kernel(p, "k"), &l, counters, &r),
	    MACHINE_DONE, rows[row].what);
	free(counters);
	return buffer[0];
}

static void
check_row(size_t row)
{
	struct program *p = NULL;
	struct why why = { .text = "" };
	uint32_t at = 0;

	if (!CHECK_INT(prog_parse(rows[row].text, &p, &why), ERR_OK, why.text))
		return;
	while (at < p->npoints && p->points[at].kind != rows[row].kind)
		at++;
	if (CHECK(at < p->npoints, rows[row].what)) {
		CHECK_INT(run(p, row, PROG_NO_POINT), rows[row].is,
		    rows[row].what);
		CHECK_INT(run(p, row, at), rows[row].given, rows[row].what);
	}
	prog_free(p);
}

void
t_given_outcomes(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
}
