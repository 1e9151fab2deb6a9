/*
 * Witness cases by family: matrices, rope, matmul.  An operator takes of a
 * shape what it has arguments for, so one table serves a family.
 */
#include "tests/proving/witness.h"

#include "base/mem.h"
#include "ops/args.h"
#include "ops/value_classes.h"
#include <string.h>

/* clang-format off */
#define MATRIX(n, t, d, r, c, pad, e) \
	{ .name = n " (witness)", .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	  .shape = { .rows = (r), .cols = (c), .x_stride = (c) + (pad), \
	    .a_stride = (c) + (pad), .b_stride = (c) + 2 * (pad), \
	    .gate_stride = (c) + (pad), .up_stride = (c) + 2 * (pad), \
	    .out_stride = (c) + 3 * (pad), .eps = (e) } }

#define DEEP8 \
	VALUES_DEEP, VALUES_DEEP, VALUES_DEEP, VALUES_DEEP, VALUES_DEEP, \
	VALUES_DEEP, VALUES_DEEP, VALUES_DEEP

#define PLAIN_AND_SPECIAL8 \
	VALUES_NORMAL, VALUES_NAN, VALUES_NORMAL, VALUES_INF, VALUES_NORMAL, \
	VALUES_NEG_INF, VALUES_NORMAL, VALUES_ALL_NEG_INF
#define PLAIN_AND_HUGE8 \
	VALUES_NORMAL, VALUES_LARGEST, VALUES_NORMAL, VALUES_LARGEST, \
	VALUES_NORMAL, VALUES_LARGEST, VALUES_LARGEST, VALUES_LARGEST

/* Rows below any number that somebody thinks low enough, each of its scale. */
static const struct op_mix deep_rows = { .nslots = { 24, 1, 1, 1, 1, 1 },
	.values = { { DEEP8, DEEP8, DEEP8 } } };

/* In whatever comes in, weights and a product's columns too, next to what is
 * plain: the numbers of slots have no common divisor. */
static const struct op_mix special_everywhere = { .nslots = { 24, 7, 5, 1, 1, 1 },
	.values = { { PLAIN_AND_SPECIAL8, PLAIN_AND_SPECIAL8, PLAIN_AND_SPECIAL8 },
	    { VALUES_NORMAL, VALUES_NAN, VALUES_NORMAL, VALUES_INF,
	      VALUES_NORMAL, VALUES_NEG_INF, VALUES_NORMAL },
	    { VALUES_NORMAL, VALUES_INF, VALUES_NORMAL, VALUES_NAN,
	      VALUES_NORMAL } } };

/* Past whatever somebody thinks large, or low, enough; all finite. */
static const struct op_mix huge_everywhere = { .nslots = { 24, 7, 5, 1, 1, 1 },
	.values = { { PLAIN_AND_HUGE8, PLAIN_AND_HUGE8, PLAIN_AND_HUGE8 },
	    { VALUES_NORMAL, VALUES_LARGEST, VALUES_NORMAL, VALUES_SCALED,
	      VALUES_NORMAL, VALUES_LARGEST, VALUES_NORMAL },
	    { VALUES_NORMAL, VALUES_LARGEST, VALUES_NORMAL, VALUES_LARGEST,
	      VALUES_NORMAL } } };

/* What a mix draws; the data class is what contracts go by. */
#define MIXED(n, d, m, c) \
	{ .name = n " (witness)", .data = OP_DATA_##d, .mix = &(m), \
	  .shape = { .rows = 24, .cols = (c), .x_stride = (c), .a_stride = (c), \
	    .b_stride = (c), .gate_stride = (c), .up_stride = (c), \
	    .out_stride = (c), .eps = 1e-5f } }

static const struct op_case matrix_cases[] = {
	/*     name                      type  data      rows    cols pad  eps */
	MATRIX("64 x 64",                F32,  NORMAL,      64,    64, 0, 1e-5f),
	MATRIX("ragged",                 F32,  NORMAL,       5,    71, 0, 1e-5f),
	MATRIX("three columns",          F32,  NORMAL,       7,     3, 0, 1e-5f),
	MATRIX("four columns",           F32,  NORMAL,       8,     4, 0, 1e-5f),
	MATRIX("one column",             F32,  NORMAL,      33,     1, 0, 1e-5f),
	MATRIX("one row",                F32,  NORMAL,       1,   511, 0, 1e-5f),
	MATRIX("prime width",            F32,  NORMAL,       2,  1021, 0, 1e-5f),
	MATRIX("long rows",              F32,  NORMAL,       3,  8195, 0, 1e-5f),
	MATRIX("long rows of 64",        F32,  NORMAL,       3,  4096, 0, 1e-5f),
	MATRIX("offset data",            F32,  OFFSET,       3,  1001, 0, 1e-5f),
	MATRIX("rows past 16 bits",      F32,  NORMAL,   65603,     3, 0, 1e-5f),
	MATRIX("columns past 16 bits",   F32,  NORMAL,       2, 66003, 0, 1e-5f),
	MATRIX("elements past 16 bits",  F32,  NORMAL,      41,  2003, 5, 1e-5f),
	MATRIX("columns past 18 bits",   F32,  NORMAL,       1, 262167, 0, 1e-5f),
	MATRIX("many wide exponents",    F32,  WIDE,        23,  3001, 0, 1e-5f),
	MATRIX("strided",                F32,  NORMAL,       9,    53, 7, 1e-5f),
	MATRIX("strided, 64 x 64",       F32,  NORMAL,      64,    64, 16, 1e-5f),
	MATRIX("wide, aligned, strided", F32, NORMAL,       2,  2048, 8, 1e-5f),
	MATRIX("float16",                F16,  NORMAL,       6,   130, 0, 1e-5f),
	MATRIX("bfloat16",               BF16, NORMAL,       6,   130, 2, 1e-5f),
	MATRIX("positive",               F32,  NORMAL_ABS,   4,    96, 0, 1e-5f),
	MATRIX("negative",               F32,  NEGATIVE,     5,    77, 0, 1e-5f),
	MATRIX("tiny",                   F32,  TINY,         4,   128, 0, 1e-5f),
	MATRIX("large",                  F32,  LARGE,        4,   128, 0, 1e-5f),
	MATRIX("outliers",               F32,  OUTLIER,      4,   120, 0, 1e-5f),
	MATRIX("eps 0.5",                F32,  NORMAL,       4,   128, 0, 0.5f),
	MATRIX("eps 1e-9",               F32,  TINY,         4,   128, 0, 1e-9f),
	MATRIX("constant",               F32,  CONSTANT,     3,    60, 0, 1e-5f),
	MATRIX("integers",               F32,  INTEGER,      8,    32, 0, 1e-5f),
	MATRIX("few integers",           F32,  INTEGER,      9,     8, 0, 1e-5f),
	MATRIX("special values",         F32,  SPECIAL,     16,    48, 0, 1e-5f),
	MATRIX("wide exponents",         F32,  WIDE,         6,   200, 0, 1e-5f),
	MATRIX("rows of different scale", F32, RAGGED_SCALE, 12,  100, 0, 1e-5f),
	MATRIX("empty",                  F32,  NORMAL,       0,    64, 0, 1e-5f),
	MIXED("deep rows",               NEGATIVE, deep_rows,         70),
	MIXED("special values everywhere", SPECIAL, special_everywhere, 41),
	MIXED("huge values everywhere",  LARGE,    huge_everywhere,   41),
};

/* The index of a result that is one a row. */
static const struct op_case reduction_cases[] = {
	MATRIX("rows past 17 bits",      F32,  NORMAL,  131101,     2, 0, 1e-5f),
};

#define ROPE(n, t, d, b, s, w, ba, pm) \
	{ .name = n " (witness)", .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	  .shape = { .batch = (b), .seq = (s), .dim = (w), .base = (ba) }, \
	  .position_max = (pm) }

static const struct op_case rope_cases[] = {
	/*   name                     type  data   batch    seq     dim  base  positions */
	ROPE("position 0",            F32,  NORMAL,    2,     4,     64, 1e4f,     0),
	ROPE("one batch",             F32,  NORMAL,    1,     9,     64, 1e4f,    40),
	ROPE("several batches",       F32,  NORMAL,    3,     5,     64, 1e4f,    40),
	ROPE("ragged",                F32,  NORMAL,    3,     7,     70, 1e4f,    90),
	ROPE("one pair",              F32,  NORMAL,    2,     4,      2, 1e4f,    20),
	ROPE("pairs",                 F32,  NORMAL,    5,     3,      2, 1e4f,    20),
	ROPE("eight wide",            F32,  NORMAL,    2,     5,      8, 1e4f,    20),
	ROPE("multiples of 64",       F32,  NORMAL,    2,    32,    128, 1e4f,    80),
	ROPE("base 500",              F32,  NORMAL,    2,     6,     32, 5e2f,   100),
	ROPE("base 1000000",          F32,  NORMAL,    2,     6,     96, 1e6f,  3000),
	ROPE("large positions",       F32,  NORMAL,    2,    11,     64, 1e4f, 30000),
	ROPE("positions past 17 bits", F32,  NORMAL,    2,    11,     64, 1e4f, 160000),
	ROPE("long rows",             F32,  NORMAL,    1,     2,   6002, 1e4f,   300),
	ROPE("width past 16 bits",    F32,  NORMAL,    1,     2, 131080, 1e4f,    60),
	ROPE("positions past 16 bits", F32, NORMAL,    1, 65603,      4, 1e4f,  4000),
	ROPE("batches past 16 bits",  F32,  NORMAL, 65603,    1,      4, 1e4f,    30),
	ROPE("elements past 16 bits", F32,  NORMAL,   41,    13,    130, 1e4f,   100),
	ROPE("float16",               F16,  NORMAL,    2,     5,     66, 1e4f,    40),
	ROPE("bfloat16",              BF16, NORMAL,    2,     5,     66, 1e4f,    40),
	ROPE("wide exponents",        F32,  WIDE,      2,     6,     50, 1e4f,    40),
	ROPE("integers",              F32,  INTEGER,   2,     6,     32, 1e4f,    40),
	ROPE("special values",        F32,  SPECIAL,   2,     8,     40, 1e4f,    40),
	ROPE("empty",                 F32,  NORMAL,    0,     4,     64, 1e4f,    10),
};

#define MATMUL(na, t, d, m_, n_, k_, pad) \
	{ .name = na " (witness)", .dtype = DTYPE_##t, .data = OP_DATA_##d, \
	  .shape = { .m = (m_), .n = (n_), .k = (k_), \
	    .a_stride = (k_) + (pad), .b_stride = (n_) + 2 * (pad), \
	    .out_stride = (n_) + 3 * (pad) } }

#define MATMUL_MIXED(na, d, mi) \
	{ .name = na " (witness)", .data = OP_DATA_##d, .mix = &(mi), \
	  .shape = { .m = 24, .n = 21, .k = 33, .a_stride = 33, \
	    .b_stride = 21, .out_stride = 21 } }

static const struct op_case matmul_cases[] = {
	/*     name                     type  data        m      n     k  pad */
	MATMUL("16 x 16 x 16",          F32,  NORMAL,    16,    16,   16, 0),
	MATMUL("64 x 64 x 64",          F32,  NORMAL,    64,    64,   64, 0),
	MATMUL("64 x 64 x 4",           F32,  NORMAL,    64,    64,    4, 0),
	MATMUL("64 x 64 x 64, strided", F32,  NORMAL,    64,    64,   64, 16),
	MATMUL("ragged",                F32,  NORMAL,    19,    23,   29, 0),
	MATMUL("strided",               F32,  NORMAL,    19,    23,   29, 7),
	MATMUL("outer product",         F32,  NORMAL,    13,    21,    1, 0),
	MATMUL("long sums",             F32,  NORMAL,     5,     7, 5003, 0),
	MATMUL("long aligned sums",     F32,  NORMAL,     5,     9, 1024, 8),
	MATMUL("aligned, strided",      F32,  NORMAL,     9,  1032,   12, 4),
	MATMUL("rows past 16 bits",     F32,  NORMAL, 65603,     3,    2, 0),
	MATMUL("columns past 16 bits",  F32,  NORMAL,     2, 65603,    3, 0),
	MATMUL("a past 16 bits",        F32,  NORMAL,    40,    11, 2003, 3),
	MATMUL("b past 16 bits",        F32,  NORMAL,     3,  1103,   71, 3),
	MATMUL("out past 16 bits",      F32,  NORMAL,   270,   301,    5, 3),
	MATMUL("k past 17 bits",        F32,  NORMAL,     2,     2, 131101, 0),
	MATMUL("columns past 17 bits",  F32,  NORMAL,     2, 131101,   2, 0),
	MATMUL("float16",               F16,  NORMAL,    18,    20,   40, 0),
	MATMUL("bfloat16",              BF16, NORMAL,    18,    20,   40, 2),
	MATMUL("positive",              F32,  NORMAL_ABS, 9,     9,   33, 0),
	MATMUL("negative",              F32,  NEGATIVE,   9,     9,   33, 0),
	MATMUL("integers",              F32,  INTEGER,   20,    24,   32, 0),
	MATMUL("special values",        F32,  SPECIAL,   16,    24,   40, 0),
	MATMUL("rows of different scale", F32, RAGGED_SCALE, 12, 17,  70, 0),
	MATMUL("empty",                 F32,  NORMAL,     0,    16,   16, 0),
	MATMUL_MIXED("special values everywhere", SPECIAL, special_everywhere),
	MATMUL_MIXED("huge values everywhere",    LARGE,   huge_everywhere),
};
/* clang-format on */

static const struct {
	const char *scalar; /* an operator that has it is of this family */
	const struct op_case *cases;
	size_t n;
} families[] = {
	{ "cols", matrix_cases, COUNT(matrix_cases) },
	{ "seq", rope_cases, COUNT(rope_cases) },
	{ "k", matmul_cases, COUNT(matmul_cases) },
};

static void
add_cases(struct witness *w, const struct op_case *cases, size_t n)
{
	for (size_t i = 0; i < n && w->op.nholdouts < LAB_CASES_MAX - 1; i++)
		w->cases[w->op.nholdouts++] = cases[i];
}

void
witness_init(struct witness *w, const struct op *op)
{
	uint32_t ignored;

	w->op = *op;
	w->op.holdouts = w->cases;
	w->op.nholdouts = 0;
	w->nholdouts = op->nholdouts;
	add_cases(w, op->holdouts, op->nholdouts);
	if (strcmp(op->category, "reduction") == 0)
		add_cases(w, reduction_cases, COUNT(reduction_cases));
	for (size_t i = 0; i < COUNT(families); i++)
		if (op_scalar_find(op, &op->smoke->shape,
		        slice_of(families[i].scalar), &ignored) == ERR_OK)
			add_cases(w, families[i].cases, families[i].n);
}

size_t
witness_number(const struct witness *w, const struct op_case *c)
{
	for (size_t i = 0; i < w->op.nholdouts; i++)
		if (c == &w->cases[i])
			return i;
	return SIZE_MAX;
}

void
witness_sizes(const struct op *op, const struct op_shape *s,
    struct witness_sizes *ret)
{
	*ret = (struct witness_sizes){ .contiguous = true };
	for (size_t i = 0; i < op->nargs; i++) {
		enum op_arg_kind kind = op->args[i].kind;
		struct op_extent e;

		if (kind != OP_IN && kind != OP_OUT)
			continue;
		e = op->extent(s, i);
		ret->contiguous &= e.stride == e.cols;
		if (i == 0) {
			ret->rows = e.rows;
			ret->length = e.cols;
		}
		if (kind == OP_OUT)
			ret->width = e.cols;
	}
}

char *
witness_reverse(const char *source)
{
	return xasprintf("#define get_local_id(d) "
	                 "(get_local_size(d) - 1 - get_local_id(d))\n"
	                 "#define get_global_id(d) "
	                 "(get_group_id(d) * get_local_size(d) + "
	                 "get_local_id(d))\n%s",
	    source);
}
