/* Numbers that a program makes of constants and of its group's size. */
#include "lab/probe/condition.h"

#include "tests/unit.h"

#define MAX 16

#define KERNEL(body)                                                           \
	"define spir_kernel void @k(i32 addrspace(1)* %x, i32 %n) {\n"         \
	"entry:\n"                                                             \
	"  %id = call spir_func i64 @_Z13get_global_idj(i32 0)\n"              \
	"  %i = trunc i64 %id to i32\n"                                        \
	"  %size = call spir_func i64 @_Z14get_local_sizej(i32 0)\n"           \
	"  %s = trunc i64 %size to i32\n" body                                 \
	"  store i32 %r, i32 addrspace(1)* %x\n  ret void\n}\n"

#define WALK(step) "  %m = mul i32 %i, " step "\n  %r = urem i32 %m, %n\n"

static const struct {
	const char *what, *text;
	uint64_t made; /* 0: nothing beyond the group's size */
} rows[] = {
	{ "of the group's size",
	    KERNEL("  %a = shl i32 %s, 7\n  %b = sub i32 %a, 1\n" WALK("%b")),
	    8191 },
	{ "of a loop of doublings",
	    KERNEL("  %v = alloca i32, align 4\n  %q = alloca i32, align 4\n"
	           "  store i32 3, i32* %v, align 4\n"
	           "  store i32 0, i32* %q, align 4\n  br label %head\nhead:\n"
	           "  %c = load i32, i32* %q, align 4\n"
	           "  %l = icmp ult i32 %c, 10\n"
	           "  br i1 %l, label %body, label %end\nbody:\n"
	           "  %d = load i32, i32* %v, align 4\n  %e = add i32 %d, %d\n"
	           "  store i32 %e, i32* %v, align 4\n"
	           "  %f = add i32 %c, 1\n  store i32 %f, i32* %q, align 4\n"
	           "  br label %head\nend:\n"
	           "  %t = load i32, i32* %v, align 4\n" WALK("%t")),
	    3072 },
	{ "kept in an array",
	    KERNEL("  %v = alloca [2 x i32], align 4\n"
	           "  %p = getelementptr inbounds [2 x i32], [2 x i32]* %v,"
	           " i64 0, i64 1\n"
	           "  %b = mul i32 %s, 5\n  store i32 %b, i32* %p, align 4\n"
	           "  %t = load i32, i32* %p, align 4\n" WALK("%t")),
	    320 },
	{ "of a size, which is none",
	    KERNEL("  %b = mul i32 %n, 5\n" WALK("%b")), 0 },
	{ "of what memory holds, which nobody knows",
	    KERNEL("  %b = load i32, i32 addrspace(1)* %x\n" WALK("%b")), 0 },
};

/* Is it made of one that is told anyway? */
static bool
is_beyond(uint64_t v)
{
	return v > 64;
}

void
t_dry_run(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cond_place at[2] = { { .ndims = 1,
		    .args = { 0, 30 },
		    .global = { 640, 1, 1 },
		    .local = { 64, 1, 1 } } };
		uint64_t out[MAX];
		struct program *p = NULL;
		struct cond *c;
		struct why why;
		size_t n, beyond = 0;
		bool has = false;

		at[1] = at[0];
		at[1].args[1] = 41;
		at[1].id[0] = 11;
		if (!CHECK(prog_parse(rows[i].text, &p, &why) == ERR_OK,
		        rows[i].what))
			continue;
		c = cond_new(p, prog_kernel(p, "k"));
		n = cond_constants_made(c, at, 2, out, MAX);
		for (size_t k = 0; k < n; k++) {
			beyond += is_beyond(out[k]);
			has |= out[k] == rows[i].made;
		}
		CHECK(has || rows[i].made == 0, rows[i].what);
		CHECK(rows[i].made != 0 || beyond == 0, rows[i].what);
		cond_free(c);
		prog_free(p);
	}
}
