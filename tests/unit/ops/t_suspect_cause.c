/*
 * Causes from patterns: what kernels with one mistake each came out as, case
 * by case, and the cause that it is to be told by.
 *
 * A pattern has a sign for each case in the order in which they are judged:
 * smoke, exact, then the holdouts by storage type.  It ends where the child
 * was lost, or the exact stage stopped the rest.
 */
#include "ops/suspect_cause.h"

#include "tests/unit.h"
#include <math.h>
#include <string.h>

#define CASES_MAX 32

/* By enum cause_sign: passed, slight, off, far, not finite, unwritten,
 * outside, other. */
static const char signs[CAUSE_NSIGNS + 1] = ".sofnux?";

#define ANGLE "the angle is not positions[s] * base^(-2d/dim)?"
#define BASE  "base hard-coded?"
#define BATCH "only the first batch computed, or taken for the others?"
#define BOUNDS                                                                 \
	"a missing bounds check where a size is no multiple of the work "      \
	"group?"
#define COUNT_FIXED "divides by a fixed count instead of the row's?"
#define EPS         "eps misplaced, dropped or hard-coded?"
#define GRID        "a loop or a grid that ends before the last element?"
#define HALF        "an approximation, or values or sums rounded to a half on the way?"
#define INDEX       "an index in 16 bits?"
#define LONG        "the end of long rows left out, or long sums in too few bits?"
#define PAIRS       "pairs (2d, 2d+1) instead of (d, d + dim/2)?"
#define PART        "the maximum of only a part of a long row is subtracted?"
#define SHIFT       "the row's maximum is not subtracted?"
#define SPECIAL     "NaN or infinity lost, by a comparison?"
#define START       "the maximum starts at 0 instead of -infinity?"
#define STORAGE                                                                \
	"storage read or written as float, without kf_load and kf_store?"
#define STRIDE_IN  "an input's row stride ignored?"
#define STRIDE_OUT "writes into the gaps between rows: out_stride ignored?"
#define TAIL                                                                   \
	"the last part of a row wrong or left out, where its length is no "    \
	"multiple of a block?"
#define TANH       "the tanh approximation instead of erf?"
#define UNWRITTEN  "the end of long rows is never written?"
#define VARIANCE   "the variance is not the mean of (x - mean)^2?"
#define STRIDE_ANY "a row stride ignored, or taken for another?"
#define TINY       "small magnitudes lost, or a constant that only they show?"
#define LARGE      "overflows, or loses its accuracy, at large magnitudes?"

/* clang-format off */
static const struct {
	const char *what; /* corruption operator, known-good kernel, site */
	const char *op, *pattern, *want;
} rows[] = {
	{ "acc_type layernorm_halves:1",           "layernorm", "sssssssss.s.sss",   HALF },
	{ "acc_type layernorm_rows:3",             "layernorm", "ssssssss..s.sss",   HALF },
	{ "acc_type matmul_tiled:0",               "matmul",    "s.s",               HALF },
	{ "acc_type mean_last_lanes:0",            "mean_last", "s..s.s.ssss.ssss",  LONG },
	{ "acc_type rmsnorm:0",                    "rmsnorm",   "ssssssssss.ssss",   HALF },
	{ "batch_zero rope_3d:0",                  "rope",      "..oo..ooofn.ooo",   BATCH },
	{ "batch_zero rope_3d:1",                  "rope",      "..uu..uuuuu.uuu",   BATCH },
	{ "dtype_load abs_grid:0",                 "abs",       "..............x",   STORAGE },
	{ "dtype_load gelu_grid:0",                "gelu",      "............x",     STORAGE },
	{ "dtype_load layernorm_pairs:7",          "layernorm", ".............no",   STORAGE },
	{ "eps_place layernorm:0",                 "layernorm", "s.s.osoo..s....",   EPS },
	{ "eps_place layernorm_scaled:1",          "layernorm", "s.s.osoo.ns....",   EPS },
	{ "eps_place rmsnorm_group:1",             "rmsnorm",   "s.s.osoo.s..s..",   EPS },
	{ "gelu_tanh gelu_four:0",                 "gelu",      "ssssssssn.s.sss",   TANH },
	{ "gelu_tanh gelu_pair:1",                 "gelu",      "ss.sssssn.s.sss",   TANH },
	{ "gelu_tanh gelu_quad:1",                 "gelu",      "ss.s.sssn.s.sss",   TANH },
	{ "grid_stride exp_grid:0",                "exp",       ".u.u.u.u..uuuuu",   UNWRITTEN },
	{ "grid_stride max_last_tile:0",           "max_last",  ".....o..oo..oosss", LONG },
	{ "grid_stride relu_grid:0",               "relu",      ".uu",               NULL },
	{ "grid_stride rope_pairgrid:0",           "rope",      "..u.uuuuu...uuu",   GRID },
	{ "grid_stride softmax_group:0",           "softmax",   ".......n.......",   PART },
	{ "half_store exp_grid:0",                 "exp",       "sssssssss.ss.ss",   HALF },
	{ "half_store layernorm_welford:0",        "layernorm", "ssssssss..s.s.s",   HALF },
	{ "half_store rmsnorm_group:0",            "rmsnorm",   "ssssssssss.s.ss",   HALF },
	{ "identity max_last_four:0",              "max_last",  "....o.o..o.......", START },
	{ "identity mean_last:0",                  "mean_last", "o",                 NULL },
	{ "identity softmax_group:0",              "softmax",   ".........n.....",   START },
	{ "index_narrow max_last:1",               "max_last",  ".....of..........", INDEX },
	{ "index_narrow mean_last_lanes:3",          "mean_last", ".....s..........",  INDEX },
	{ "index_narrow relu_four:2",              "relu",      ".....fff.........", INDEX },
	{ "index_narrow sigmoid:0",                "sigmoid",   "...uuu.........",   INDEX },
	{ "index_narrow sqrt_four:1",              "sqrt",      "....u..........",   INDEX },
	{ "mean_sum layernorm_pairs:3",            "layernorm", "..ososoos.o.oos",   COUNT_FIXED },
	{ "mean_sum layernorm_tile:1",             "layernorm", ".oososoos.o.oos",   COUNT_FIXED },
	{ "mean_sum mean_last_tile:0",             "mean_last", ".os",               NULL },
	{ "mean_sum rmsnorm:0",                    "rmsnorm",   ".oososoooo.osss",   COUNT_FIXED },
	{ "nan_swallow max_last_group:1",          "max_last",  "..........n......", SPECIAL },
	{ "nan_swallow relu_2d:0",                 "relu",      "..........n......", SPECIAL },
	{ "reduce_tail matmul_row:0",              "matmul",    ".os",               NULL },
	{ "reduce_tail max_last_group:0",          "max_last",  "....n.no.........", TAIL },
	{ "reduce_tail mean_last_lanes:0",         "mean_last", "...oosoo.....s.s",  TAIL },
	{ "reduce_tail rmsnorm_tile:0",            "rmsnorm",   "..oso.........s",   TAIL },
	{ "rope_freq rope_element:0",              "rope",      ".......o.......",   BASE },
	{ "rope_freq rope:1",                      "rope",      ".oo.o.oo.on.ooo",   ANGLE },
	{ "rope_interleaved rope_3d:0",            "rope",      ".oo.o.oo.fn.ooo",   PAIRS },
	{ "softmax_shift softmax_group:0",         "softmax",   ".......nnnn....",   SHIFT },
	{ "softmax_shift softmax_online:1",        "softmax",   "o",                 NULL },
	{ "softmax_shift softmax_pairs:1",         "softmax",   ".......nnn.....",   SHIFT },
	{ "stride_swap max_last_tile:0",           "max_last",  ".n.",               STRIDE_IN },
	{ "stride_swap relu_four:1",               "relu",      ".x.",               STRIDE_OUT },
	{ "stride_swap silu_four:1",               "silu",      "......x...x.x..",   STRIDE_OUT },
	{ "tail_guard log_four:0",                 "log",       ".xxxxxxxx",         BOUNDS },
	{ "tail_guard log:0",                      "log",       ".xxxxxx",           BOUNDS },
	{ "tail_guard mean_last:1",                "mean_last", "x",                 NULL },
	{ "variance layernorm_halves:1",           "layernorm", "sso.osss..s.sss",   VARIANCE },
	{ "variance layernorm_lanes:0",            "layernorm", "ss.s.ssss.o.sss",   VARIANCE },
	{ "variance layernorm_lanes:1, its last part", "layernorm", ".so.oss.....sss", TAIL },
	{ "variance layernorm_rows:0",            "layernorm", "s",                 NULL },
	{ "variance layernorm_pairs:0",            "layernorm", "ssosossss.o.sss",   VARIANCE },
	/* Patterns that no one mistake leaves. */
	{ "all passed",                            "rope",      "...............",   NULL },
	{ "a single case judged",                  "exp",       "o",                 NULL },
	{ "one case among its like",               "exp",       ".o.............",   NULL },
	{ "a class that no cause leaves",          "rope",      "..??..?????.???",   NULL },
	{ "float16 alone, bfloat16 passed",        "exp",       "............o..",   NULL },
	{ "one strided case of three",             "exp",       "..........u....",   NULL },
	{ "only the case with one column",         "exp",       "..o............",   NULL },
	{ "half of everything",                    "rope",      ".o.o.o.o.o.o.o.",   NULL },
	{ "an empty case that fails",              "exp",       ".........u.....",   NULL },
	{ "strides of inputs and outputs at once", "silu",      "......n...x.n..",   STRIDE_ANY },
	{ "no operator's own: tiny values",        "exp",       "...........o...",   TINY },
	{ "large values alone",                    "swiglu",    "........n......",   LARGE },
};

static const struct {
	const char *what, *class;
	double ratio;
	enum cause_sign want;
} grades[] = {
	{ "passed",                   NULL,               0.5,      CAUSE_PASSED },
	{ "passed by eye alone",      NULL,               40.0,     CAUSE_SLIGHT },
	{ "inaccurate",               "inaccurate",       40.0,     CAUSE_SLIGHT },
	{ "not exact",                "wrong",            0.5,      CAUSE_SLIGHT },
	{ "wrong",                    "wrong",            1e6,      CAUSE_OFF },
	{ "far off",                  "wrong",            1e12,     CAUSE_FAR },
	{ "an infinity",              "wrong",            HUGE_VAL, CAUSE_NOT_FINITE },
	{ "never written",            "unwritten",        0.0,      CAUSE_UNWRITTEN },
	{ "outside",                  "out_of_bounds",    0.0,      CAUSE_OUTSIDE },
	{ "launches differ",          "nondeterministic", 0.0,      CAUSE_OTHER },
};
/* clang-format on */

struct evidence {
	struct op_instance in[CASES_MAX];
	struct cause_case cases[CASES_MAX];
	size_t n;
};

static void
add(struct evidence *e, const struct op *op, const struct op_case *c)
{
	struct op_instance *in = &e->in[e->n];

	*in = (struct op_instance){ .op = op, .c = c, .shape = c->shape };
	while (op->args[in->out_index].kind != OP_OUT)
		in->out_index++;
	in->out = op->extent(&in->shape, in->out_index);
	e->cases[e->n++].in = in;
}

static void
add_all(struct evidence *e, const struct op *op)
{
	add(e, op, op->smoke);
	for (size_t i = 0; i < op->nexact; i++)
		add(e, op, &op->exact[i]);
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		for (size_t i = 0; i < op->nholdouts; i++)
			if ((int)op->holdouts[i].dtype == d)
				add(e, op, &op->holdouts[i]);
}

static const char *
cause_of_pattern(const struct op *op, const char *pattern)
{
	struct evidence e = { .n = 0 };
	size_t n = strlen(pattern);

	add_all(&e, op);
	if (!CHECK(n <= e.n, pattern))
		return NULL;
	for (size_t i = 0; i < n; i++)
		e.cases[i].sign =
		    (enum cause_sign)(strchr(signs, pattern[i]) - signs);
	return cause_find(e.cases, n);
}

void
t_suspect_cause(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_STR(cause_of_pattern(op_find(rows[i].op),
		              rows[i].pattern),
		    rows[i].want, rows[i].what);
	for (size_t i = 0; i < COUNT(grades); i++) {
		const struct judge_result v = { .bound_ratio =
			                            grades[i].ratio };

		CHECK_INT(cause_sign_of(grades[i].class, &v), grades[i].want,
		    grades[i].what);
	}
	for (size_t i = 0; i < ncauses_shared; i++)
		CHECK(strlen(causes_shared[i].text) < 128,
		    causes_shared[i].text);
}
