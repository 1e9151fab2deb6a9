/*
 * The built-in functions of OpenCL C 1.2 that a kernel may call, by their
 * plain names; overloads share one.  What takes images, prints, or came with
 * a later version is not here.  Families are prefixes.
 */
#include "lab/read/ir_gate.h"

#include <stdlib.h>
#include <string.h>

/* Sorted: see ir_is_builtin(). */
/* clang-format off */
static const char *const builtins[] = {
	"abs", "abs_diff", "acos", "acosh", "acospi", "add_sat", "all", "any",
	"asin", "asinh", "asinpi", "async_work_group_copy",
	"async_work_group_strided_copy", "atan", "atan2", "atan2pi", "atanh",
	"atanpi", "atom_add", "atom_and", "atom_cmpxchg", "atom_dec",
	"atom_inc", "atom_max", "atom_min", "atom_or", "atom_sub",
	"atom_xchg", "atom_xor", "atomic_add", "atomic_and", "atomic_cmpxchg",
	"atomic_dec", "atomic_inc", "atomic_max", "atomic_min", "atomic_or",
	"atomic_sub", "atomic_xchg", "atomic_xor", "barrier", "bitselect",
	"cbrt", "ceil", "clamp", "clz", "copysign", "cos", "cosh", "cospi",
	"cross", "degrees", "distance", "dot", "erf", "erfc", "exp", "exp10",
	"exp2", "expm1", "fabs", "fast_distance", "fast_length",
	"fast_normalize", "fdim", "floor", "fma", "fmax", "fmin", "fmod",
	"fract", "frexp", "get_global_id", "get_global_offset",
	"get_global_size", "get_group_id", "get_local_id", "get_local_size",
	"get_num_groups", "get_work_dim", "hadd", "half_cos", "half_divide",
	"half_exp", "half_exp10", "half_exp2", "half_log", "half_log10",
	"half_log2", "half_powr", "half_recip", "half_rsqrt", "half_sin",
	"half_sqrt", "half_tan", "hypot", "ilogb", "isequal", "isfinite",
	"isgreater", "isgreaterequal", "isinf", "isless", "islessequal",
	"islessgreater", "isnan", "isnormal", "isnotequal", "isordered",
	"isunordered", "ldexp", "length", "lgamma", "lgamma_r", "log",
	"log10", "log1p", "log2", "logb", "mad", "mad24", "mad_hi", "mad_sat",
	"max", "maxmag", "mem_fence", "min", "minmag", "mix", "modf", "mul24",
	"mul_hi", "nan", "native_cos", "native_divide", "native_exp",
	"native_exp10", "native_exp2", "native_log", "native_log10",
	"native_log2", "native_powr", "native_recip", "native_rsqrt",
	"native_sin", "native_sqrt", "native_tan", "nextafter", "normalize",
	"popcount", "pow", "pown", "powr", "prefetch", "radians",
	"read_mem_fence", "remainder", "remquo", "rhadd", "rint", "rootn",
	"rotate", "round", "rsqrt", "select", "shuffle", "shuffle2", "sign",
	"signbit", "sin", "sincos", "sinh", "sinpi", "smoothstep", "sqrt",
	"step", "sub_sat", "tan", "tanh", "tanpi", "tgamma", "trunc",
	"upsample", "wait_group_events", "write_mem_fence",
};
/* clang-format on */

/* Families by how their names begin and what follows: "vload4", "convert_int_
 * rte"; "" stands for a number of elements. */
static const struct {
	const char *begin;
	const char *next[12];
} families[] = {
	{ "convert_",
	    { "char", "uchar", "short", "ushort", "int", "uint", "long",
	        "ulong", "float", "double", "half", NULL } },
	{ "vload", { "", "_half", "a_half", NULL } },
	{ "vstore", { "", "_half", "a_half", NULL } },
};

/* Does what follows a family's beginning belong to it? */
static bool
goes_on(const char *rest, const char *const *next)
{
	for (; *next; next++) {
		size_t n = strlen(*next);

		if (n > 0 ? strncmp(rest, *next, n) == 0
		          : *rest != '\0' &&
		            rest[strspn(rest, "0123456789")] == '\0')
			return true;
	}
	return false;
}

static int
by_name(const void *key, const void *row)
{
	return strcmp(key, *(const char *const *)row);
}

bool
ir_is_builtin(const char *name)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		size_t n = strlen(families[i].begin);

		if (strncmp(name, families[i].begin, n) == 0)
			return goes_on(name + n, families[i].next);
	}
	return bsearch(name, builtins, COUNT(builtins), sizeof builtins[0],
	    by_name);
}
