/*
 * Every pattern at one and at a drawn level, in all inputs alike and in inputs
 * that differ.  Who sums whole numbers in an int says up to where he does so:
 * in long rows the values are just below that, or any power of two where nobody
 * says it, and there are enough of them for the sum to leave 31 bits.
 */
#include "lab/stages/coverage_patterns.h"

#include "lab/stages/coverage_landmarks.h"
#include "ops/row_patterns.h"
#include <math.h>

#define CONSTANTS_MAX  64
#define LIMITS_MAX     5
#define LIMIT_LEAST    1e-6f
#define LIMIT_MOST     1e30f
#define ROWS_PER_LIMIT 3
#define WHOLE_OF_LIMIT 1
#define LIMITS_FROM    2
#define PLAIN_ROWS     14
#define LADDER         6 /* of these: powers of two, from FROM to BITS on */
#define FROM           7
#define BITS           16
#define SETS           3 /* of all patterns: at one, drawn, below a limit */
#define LINES_MAX      (PLAIN_ROWS + LIMITS_MAX * ROWS_PER_LIMIT)
#define OTHER          3 /* columns of a product's other tensor, of long rows */

/* A 256th less is one of fixed point as well. */
#define BELOW       (1.0f - 1.0f / 256.0f)
#define BELOW_LEAST (1.0f / 64.0f)
#define BELOW_MOST  0x1p20f

#define COLS_SHORT 17 /* and up to so many more: */
#define MORE_SHORT 60
/* So many groups that no list holds them, and whole ones. */
#define MIDDLE_UNIT       64
#define MIDDLE_LEAST      66
#define MIDDLE_MORE       28
#define MIDDLE_OF_PRODUCT 8      /* where all lines meet all */
#define COLS_LONG         131101 /* of whose halves the product has 33 bits */
#define MORE_LONG         4000
#define COLS_SEEN         66001 /* a product's, and where nothing is summed */

struct lines {
	struct row_line line[SETS * ROW_NPATTERNS > LINES_MAX
	        ? SETS *ROW_NPATTERNS
	        : LINES_MAX];
	uint32_t n;
};

static void
add(struct lines *l, enum row_pattern pattern, float level)
{
	l->line[l->n++] = (struct row_line){ pattern, level };
}

/* ---- every pattern */

static float
draw_level(struct draw *dice)
{
	if (draw_range(dice, 0, 1))
		return (float)draw_range(dice, 1, 999);
	return ldexpf(1.0f, (int)draw_range(dice, 0, 19) - 3);
}

/* Next to what a value is compared with, or to a part of it: it may have been
 * multiplied before.  Any, where there is no such number. */
static float
draw_below(const struct program *p, struct draw *dice)
{
	float limits[CONSTANTS_MAX], all[CONSTANTS_MAX];
	size_t nlimits = cond_constants_compared(p, limits, CONSTANTS_MAX);
	size_t n = cond_constants_real(p, all, CONSTANTS_MAX);
	float v, by = 1.0f;

	if (nlimits == 0)
		return draw_level(dice);
	v = fabsf(limits[draw_range(dice, 0, (uint32_t)nlimits - 1)]);
	if (draw_range(dice, 0, 1))
		by = fabsf(all[draw_range(dice, 0, (uint32_t)n - 1)]);
	v = (by > 0.0f ? v / by : v) * BELOW;
	return v >= BELOW_LEAST && v <= BELOW_MOST ? v : draw_level(dice);
}

static struct lines
draw_lines(const struct program *program, struct draw *dice)
{
	struct lines l = { .n = 0 };

	for (int p = 0; p < ROW_NPATTERNS; p++)
		add(&l, (enum row_pattern)p, 1.0f);
	for (int p = 0; p < ROW_NPATTERNS; p++)
		add(&l, (enum row_pattern)p, draw_level(dice));
	for (int p = 0; p < ROW_NPATTERNS; p++)
		add(&l, (enum row_pattern)p, draw_below(program, dice));
	return l;
}

static bool
is_weight(const struct op *op, size_t arg)
{
	return op->args[arg].draw == OP_DRAW_WEIGHT ||
	    op->args[arg].draw == OP_DRAW_BIAS;
}

/* Again from the first one, behind the last. */
static const struct row_line *
nth_line(const struct lines *l, uint32_t nth)
{
	return &l->line[l->n > 0 ? nth % l->n : 0];
}

/* A row of the nth input: as the first one's in the first rows. */
static void
fill_row(const struct trial_case *tc, size_t arg, uint32_t r,
    const struct lines *l, enum dtype d, struct draw *dice)
{
	struct op_extent e = tc->in->op->extent(&tc->in->shape, arg);
	float *v = tc->in->in[arg] + (size_t)r * e.cols;
	uint32_t nth = r < l->n || arg == 0 ? r : draw_range(dice, 0, r);

	row_fill(dice, d, nth_line(l, nth), v, e.cols, 1);
	for (uint32_t k = 0;
	     k < e.cols && tc->in->op->args[arg].draw == OP_DRAW_ABS; k++)
		v[k] = fabsf(v[k]);
}

/* A product's other tensor has them in its columns; weights are alike in
 * groups. */
static void
fill_tensor(const struct trial_case *tc, size_t arg, const struct lines *l,
    enum dtype d, struct draw *dice)
{
	static const struct row_line weights = { ROW_GROUPS, 1.0f };
	const struct op *op = tc->in->op;
	struct op_extent e = op->extent(&tc->in->shape, arg);
	float *v = tc->in->in[arg];

	if (is_weight(op, arg))
		row_fill(dice, d, &weights, v, e.cols, 1);
	else if (op->smoke->shape.k > 0 && arg == 1)
		for (uint32_t j = 0; j < e.cols; j++)
			row_fill(dice, d, nth_line(l, j), v + j, e.rows,
			    e.cols);
	else
		for (uint32_t r = 0; r < e.rows; r++)
			fill_row(tc, arg, r, l, d, dice);
}

static void
try_all(struct trial *t, const struct lines *l, enum dtype d, uint32_t rows,
    uint32_t cols, struct draw *dice)
{
	struct op_shape s = landmark_shape(t->rq->op, rows, cols);
	struct trial_case *tc;

	s.n = l->n;
	op_close_strides(t->rq->op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (size_t i = 0; tc && i < t->rq->op->nargs; i++)
		if (tc->in->in[i])
			fill_tensor(tc, i, l, d, dice);
}

/* ---- long rows */

/* Just below a limit as the storage type has it, as whole numbers have it, and
 * as fixed point with eight bits behind the point does. */
static void
add_limit(struct lines *l, enum dtype d, float limit)
{
	float below = dtype_round(d, limit * (1.0f - 0x1p-11f));

	add(l, ROW_LEVEL, d == DTYPE_F32 ? nextafterf(limit, 0.0f) : below);
	add(l, ROW_LEVEL, ceilf(limit) - 1.0f);
	add(l, ROW_LEVEL, limit - 0x1p-8f);
}

static void
add_limits(struct lines *l, const struct program *p, enum dtype d,
    struct draw *dice)
{
	float all[CONSTANTS_MAX];
	size_t n = cond_constants_compared(p, all, CONSTANTS_MAX), found = 0;
	size_t start = n ? draw_range(dice, 0, (uint32_t)n - 1) : 0;

	for (size_t i = 0; i < n && found < LIMITS_MAX; i++) {
		float v = fabsf(all[(start + i) % n]);

		if (v < LIMIT_LEAST || v > LIMIT_MOST)
			continue;
		add_limit(l, d, v);
		found++;
	}
}

/* The first rows, and the last one, of small numbers, which a sum must neither
 * lose nor add twice; few sums of those in between stay within an int. */
static struct lines
draw_long_lines(const struct program *p, enum dtype d, struct draw *dice)
{
	struct lines l = { .n = 0 };

	add(&l, ROW_SMALL, 1.0f);
	add(&l, ROW_SIGNS, 1.0f);
	add_limits(&l, p, d, dice);
	add(&l, ROW_RISES, 1.0f);
	add(&l, ROW_FALLS, 0.5f);
	add(&l, ROW_HALVES, 1.0f);
	add(&l, ROW_CROSSES, 1.0f);
	add(&l, ROW_ONE, 2.0f);
	for (int k = 0; k < LADDER; k++)
		add(&l, ROW_LEVEL, ldexpf(1.0f, FROM + k * BITS / LADDER));
	add(&l, ROW_SMALL, 1.0f);
	return l;
}

/* One of the lines that nobody has a limit for, or the whole number or any line
 * below a limit. */
static uint32_t
pick(const struct lines *l, bool is_whole, struct draw *dice)
{
	uint32_t nlimits = (l->n - PLAIN_ROWS) / ROWS_PER_LIMIT;
	uint32_t of = nlimits ? draw_range(dice, 0, nlimits - 1) : 0;

	if (nlimits == 0)
		return draw_range(dice, 0, l->n - 1);
	return LIMITS_FROM + of * ROWS_PER_LIMIT +
	    (is_whole ? WHOLE_OF_LIMIT
	              : draw_range(dice, 0, ROWS_PER_LIMIT - 1));
}

/* The columns of a product's other tensor: a small one, one whole and one
 * other below limits. */
static void
fill_other(struct trial_case *tc, const struct lines *l, enum dtype d,
    struct draw *dice)
{
	for (uint32_t j = 0; j < OTHER; j++)
		row_fill(dice, d, &l->line[j == 0 ? 0 : pick(l, j == 1, dice)],
		    tc->in->in[1] + j, tc->in->shape.k, OTHER);
}

static void
try_long(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	struct lines l = draw_long_lines(cover_program(c), d, dice);
	bool is_product = t->rq->op->smoke->shape.k > 0;
	struct op_shape s = landmark_shape(t->rq->op, l.n,
	    (is_product ? COLS_SEEN : COLS_LONG) +
	        draw_range(dice, 0, MORE_LONG));
	struct trial_case *tc;

	s.n = OTHER;
	op_close_strides(t->rq->op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	if (!tc)
		return;
	for (uint32_t r = 0; r < l.n; r++)
		row_fill(dice, d, &l.line[r],
		    tc->in->in[0] + (size_t)r * s.cols, s.cols, 1);
	if (is_product)
		fill_other(tc, &l, d, dice);
}

/* Where nothing is summed a long row only tells how far a place is counted. */
static void
try_seen(struct trial *t, enum dtype d, struct draw *dice)
{
	static const struct lines lines = { .line = { { ROW_CROSSES, 1.0f },
		                                { ROW_FALLS, 0.5f },
		                                { ROW_PAIRS, 1.0f } },
		.n = 3 };

	try_all(t, &lines, d, lines.n,
	    COLS_SEEN + draw_range(dice, 0, MORE_LONG), dice);
}

void
coverage_patterns(struct trial *t, struct cover *c, enum dtype d)
{
	const struct op *op = t->rq->op;
	bool is_product = op->smoke->shape.k > 0;
	struct lines l;
	struct draw dice;

	if (t->cases[0].in->positions)
		return;
	draw_init(&dice, t->seed.seed, "patterns");
	l = draw_lines(cover_program(c), &dice);
	try_all(t, &l, d, op->is_elementwise ? 2 * l.n : l.n,
	    COLS_SHORT + draw_range(&dice, 0, MORE_SHORT), &dice);
	try_all(t, &l, d, l.n,
	    ((is_product ? MIDDLE_OF_PRODUCT : MIDDLE_LEAST) +
	        draw_range(&dice, 0, MIDDLE_MORE)) *
	        MIDDLE_UNIT,
	    &dice);
	if (op->is_elementwise)
		try_seen(t, d, &dice);
	else
		try_long(t, c, d, &dice);
}
