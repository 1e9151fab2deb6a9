/*
 * Every pattern at one and at a drawn level, in all inputs alike and in inputs
 * that differ.  Who sums whole numbers in an int says up to where he does so:
 * in long rows the values are just below that, or any power of two where nobody
 * says it, and there are enough of them for the sum to leave 31 bits.
 */
#include "lab/stages/coverage_patterns.h"

#include "base/units.h"
#include "lab/stages/coverage_landmarks.h"
#include "ops/row_patterns.h"
#include <math.h>

#define CONSTANTS_MAX     64
#define STRAY             9.0f
#define STRAY_KINDS       5
#define STRAYS            6 /* columns of a product's other tensor */
#define LIMITS_MAX        5
#define LIMIT_LEAST       1e-6f
#define LIMIT_MOST        1e30f
#define ROWS_PER_LIMIT    4
#define WHOLE_OF_LIMIT    1 /* below it, and the next is the limit itself */
#define LIMITS_FROM       2
#define PLAIN_ROWS        19
#define LADDER            6 /* of these: powers of two, from FROM to BITS on */
#define FROM              7
#define BITS              16
#define SETS              3 /* of all patterns: at one, drawn, below a limit */
#define PERIOD_LEAST      2
#define LINES_MAX         (PLAIN_ROWS + LIMITS_MAX * ROWS_PER_LIMIT)
#define OTHER             2 /* columns of a product's other tensor, of long rows */
#define LIMITS_OF_PRODUCT 1

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
#define CUBED_LEAST       26 /* of whose cube 32 bits are not enough */
#define CUBED_MORE        8
#define MIDDLE_OF_PRODUCT 8     /* where all lines meet all */
#define ROWS_FAR          65537 /* beyond 16 bits */
#define COLS_FAR          17
#define MORE_FAR          6
#define KINDS_SHORT       16384
#define KINDS_LONG        65536
#define MORE_KINDS        64
#define NANS              700001
#define COLS_LONG         133201 /* of halves 33 bits, of 127 by 127 31 */
#define MORE_LONG         2500

struct lines {
	struct row_line line[SETS * ROW_NPATTERNS > LINES_MAX
	        ? SETS *ROW_NPATTERNS
	        : LINES_MAX];
	uint32_t n;
};

static void
add(struct lines *l, enum row_pattern pattern, float level)
{
	l->line[l->n++] =
	    (struct row_line){ .pattern = pattern, .level = level };
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

/* One of the program's constants; 0: it has none that is a period. */
static uint32_t
draw_period(const struct program *p, struct draw *dice)
{
	uint64_t all[CONSTANTS_MAX];
	size_t n = cond_constants_whole(p, all, CONSTANTS_MAX), found = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i] >= PERIOD_LEAST && all[i] <= ROW_PERIOD_MOST)
			all[found++] = all[i];
	if (found == 0)
		return 0;
	return (uint32_t)all[draw_range(dice, 0, (uint32_t)found - 1)];
}

static void
add_drawn(struct lines *l, const struct program *program, int set,
    enum row_pattern pattern, struct draw *dice)
{
	float level = set == 0 ? 1.0f
	    : set == 1         ? draw_level(dice)
	                       : draw_below(program, dice);

	add(l, pattern, level);
	if (pattern == ROW_PERIOD)
		l->line[l->n - 1].period = draw_period(program, dice);
}

static struct lines
draw_lines(const struct program *program, struct draw *dice)
{
	struct lines l = { .n = 0 };

	for (int set = 0; set < SETS; set++)
		for (int p = 0; p < ROW_NPATTERNS; p++)
			add_drawn(&l, program, set, (enum row_pattern)p, dice);
	return l;
}

/* Again from the first one, behind the last. */
static const struct row_line *
nth_line(const struct lines *l, uint32_t nth)
{
	return &l->line[l->n > 0 ? nth % l->n : 0];
}

/* One element that does not follow: who looks at some takes the others for
 * granted. */
static void
plant_stray(struct draw *dice, enum dtype d, float *v, uint32_t n, size_t step)
{
	float other = draw_normal(dice) * STRAY;
	uint32_t kind = draw_range(dice, 0, STRAY_KINDS - 1);

	if (kind == 0)
		other = draw_nan(dice);
	else if (kind == 1)
		other = draw_range(dice, 0, 1) ? INFINITY : -INFINITY;
	v[draw_range(dice, 0, n - 1) * step] = dtype_round(d, other);
}

/* A row of the nth input.  All inputs are alike in the first rows, and in the
 * last ones, which are so but for an element; and far out. */
static void
fill_row(const struct trial_case *tc, size_t arg, uint32_t r,
    const struct lines *l, enum dtype d, struct draw *dice)
{
	struct op_extent e = tc->in->op->extent(&tc->in->shape, arg);
	float *v = tc->in->in[arg] + (size_t)r * e.cols;
	bool is_far = e.rows > ROWS_FAR;
	bool is_stray = !is_far && r >= l->n && r + l->n >= e.rows;
	bool is_alike = r < l->n || is_far || is_stray || arg == 0;

	row_fill(dice, d, nth_line(l, is_alike ? r : draw_range(dice, 0, r)), v,
	    e.cols, 1);
	if (is_stray)
		plant_stray(dice, d, v, e.cols, 1);
	for (uint32_t k = 0;
	     k < e.cols && tc->in->op->args[arg].draw == OP_DRAW_ABS; k++)
		v[k] = fabsf(v[k]);
}

/* A product's other tensor has them in its columns; the last are any numbers
 * and one that is none of these. */
static void
fill_columns(const struct trial_case *tc, size_t arg, const struct lines *l,
    enum dtype d, struct draw *dice)
{
	struct op_extent e = tc->in->op->extent(&tc->in->shape, arg);
	float *v = tc->in->in[arg];

	for (uint32_t j = 0; j < e.cols; j++)
		if (j < l->n)
			row_fill(dice, d, nth_line(l, j), v + j, e.rows,
			    e.cols);
		else
			plant_stray(dice, d, v + j, e.rows, e.cols);
}

/* Weights are alike in groups where rows have many of these, else follow any
 * pattern. */
static void
fill_weights(const struct trial_case *tc, size_t arg, const struct lines *l,
    enum dtype d, struct draw *dice)
{
	static const struct row_line groups = { .pattern = ROW_GROUPS,
		.level = 1.0f };
	uint32_t n = tc->in->op->extent(&tc->in->shape, arg).cols;

	row_fill(dice, d,
	    n >= MIDDLE_LEAST * MIDDLE_UNIT
	        ? &groups
	        : nth_line(l, draw_range(dice, 0, l->n)),
	    tc->in->in[arg], n, 1);
}

static void
fill_tensor(const struct trial_case *tc, size_t arg, const struct lines *l,
    enum dtype d, struct draw *dice)
{
	const struct op *op = tc->in->op;
	struct op_extent e = op->extent(&tc->in->shape, arg);

	if (op_is_weight(op, arg))
		fill_weights(tc, arg, l, d, dice);
	else if (op->smoke->shape.k > 0 && arg == 1)
		fill_columns(tc, arg, l, d, dice);
	else
		for (uint32_t r = 0; r < e.rows; r++)
			fill_row(tc, arg, r, l, d, dice);
}

/* Rows of so many columns that follow the patterns, and a product's n columns,
 * in a tensor whose rows lie apart, as often as not. */
static struct trial_case *
seek_rows(struct trial *t, enum dtype d, uint32_t rows, uint32_t cols,
    uint32_t n, struct draw *dice)
{
	struct op_shape s = landmark_shape(t->rq->op, rows, cols);
	uint32_t apart = draw_range(dice, 0, 1);

	s.n = n;
	op_close_strides(t->rq->op, &s);
	s.x_stride += apart * 3;
	s.a_stride += apart * 5;
	s.b_stride += apart;
	s.gate_stride += apart * 7;
	s.up_stride += apart * 3;
	s.out_stride += apart * 9;
	/* Most of it is written over; a product's last columns are not. */
	return trial_seek(t, &s, d,
	    s.n > OTHER && t->rq->op->smoke->shape.k > 0
	        ? OP_DATA_NORMAL
	        : OP_DATA_INTEGER_ROWS);
}

static void
try_all(struct trial *t, const struct lines *l, enum dtype d, uint32_t rows,
    uint32_t cols, struct draw *dice)
{
	struct trial_case *tc =
	    seek_rows(t, d, rows, cols, l->n + STRAYS, dice);

	for (size_t i = 0; tc && i < t->rq->op->nargs; i++)
		if (tc->in->in[i])
			fill_tensor(tc, i, l, d, dice);
}

/* The last of so many rows that a row's number has more than 16 bits. */
static void
try_far(struct trial *t, const struct lines *l, enum dtype d, struct draw *dice)
{
	struct trial_case *tc = seek_rows(t, d, ROWS_FAR + l->n,
	    COLS_FAR + draw_range(dice, 0, MORE_FAR), 2, dice);

	for (size_t i = 0; tc && i < t->rq->op->nargs; i++) {
		struct op_extent e = { 0 };

		if (tc->in->in[i])
			e = t->rq->op->extent(&tc->in->shape, i);
		for (uint32_t r = ROWS_FAR; r < e.rows; r++)
			fill_row(tc, i, r, l, d, dice);
	}
}

/* ---- long rows */

/* Just below a limit as the storage type has it, as whole numbers have it, and
 * as fixed point with eight bits behind the point does; and the limit. */
static void
add_limit(struct lines *l, enum dtype d, float limit)
{
	float below = dtype_round(d, limit * (1.0f - 0x1p-11f));

	add(l, ROW_LEVEL, d == DTYPE_F32 ? nextafterf(limit, 0.0f) : below);
	add(l, ROW_LEVEL, ceilf(limit) - 1.0f);
	add(l, ROW_LEVEL, floorf(limit));
	add(l, ROW_LEVEL, limit - 0x1p-8f);
}

static void
add_limits(struct lines *l, const struct program *p, enum dtype d,
    uint32_t most, struct draw *dice)
{
	float all[CONSTANTS_MAX];
	size_t n = cond_constants_compared(p, all, CONSTANTS_MAX), found = 0;
	size_t start = n ? draw_range(dice, 0, (uint32_t)n - 1) : 0;

	for (size_t i = 0; i < n && found < most; i++) {
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
draw_long_lines(const struct program *p, enum dtype d, uint32_t most,
    struct draw *dice)
{
	struct lines l = { .n = 0 };

	add(&l, ROW_SMALL, 1.0f);
	add(&l, ROW_SIGNS, 1.0f);
	add_limits(&l, p, d, most, dice);
	add(&l, ROW_RISES, 1.0f);
	add(&l, ROW_FALLS, 0.5f);
	add(&l, ROW_HALVES, 1.0f);
	add(&l, ROW_CROSSES, 1.0f);
	add(&l, ROW_ONE, 2.0f);
	add(&l, ROW_FIRST, 1.0f);
	add(&l, ROW_MIRROR, 9.0f);
	add(&l, ROW_BITS, 1.0f);
	add(&l, ROW_PAIRS, 1.0f);
	add_drawn(&l, p, 1, ROW_PERIOD, dice);
	for (int k = 0; k < LADDER; k++)
		add(&l, ROW_LEVEL, ldexpf(1.0f, FROM + k * BITS / LADDER));
	add(&l, ROW_SMALL, 1.0f);
	return l;
}

/* The columns of a product's other tensor: a small one, and a whole number that
 * is a limit, or just below it; any, where there is no limit. */
static void
fill_other(struct trial_case *tc, const struct lines *l, bool is_limit,
    enum dtype d, struct draw *dice)
{
	uint32_t nlimits = (l->n - PLAIN_ROWS) / ROWS_PER_LIMIT;
	uint32_t nth = nlimits == 0
	    ? draw_range(dice, 0, l->n - 1)
	    : LIMITS_FROM + draw_range(dice, 0, nlimits - 1) * ROWS_PER_LIMIT +
	        WHOLE_OF_LIMIT + is_limit;

	row_fill(dice, d, &l->line[0], tc->in->in[1], tc->in->shape.k, OTHER);
	row_fill(dice, d, &l->line[nth], tc->in->in[1] + 1, tc->in->shape.k,
	    OTHER);
}

static void
try_long(struct trial *t, struct cover *c, enum dtype d, bool is_limit,
    struct draw *dice)
{
	bool is_product = t->rq->op->smoke->shape.k > 0;
	struct lines l = draw_long_lines(cover_program(c), d,
	    is_product ? LIMITS_OF_PRODUCT : LIMITS_MAX, dice);
	struct op_shape s = landmark_shape(t->rq->op, l.n,
	    COLS_LONG + draw_range(dice, 0, MORE_LONG));
	const struct row_line period = { .pattern = ROW_PERIOD,
		.level = 9.0f,
		.period = draw_period(cover_program(c), dice) };
	struct trial_case *tc;

	s.n = OTHER;
	op_close_strides(t->rq->op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_INTEGER_ROWS);
	if (!tc)
		return;
	for (uint32_t r = 0; r < l.n; r++)
		row_fill(dice, d, &l.line[r],
		    tc->in->in[0] + (size_t)r * s.cols, s.cols, 1);
	if (is_product)
		fill_other(tc, &l, is_limit, d, dice);
	for (size_t i = 0; i < t->rq->op->nargs; i++)
		if (tc->in->in[i] && op_is_weight(t->rq->op, i))
			row_fill(dice, d, &period, tc->in->in[i], s.cols, 1);
}

/* Where nothing is summed a long row only tells how far a place is counted. */
static void
try_seen(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	static const enum row_pattern seen[] = { ROW_BITS, ROW_CROSSES,
		ROW_FALLS, ROW_PAIRS, ROW_PERIOD, ROW_PERIOD, ROW_MIRROR,
		ROW_AGAINST, ROW_TURNS, ROW_PADDED };
	struct lines l = { .n = 0 };

	for (size_t i = 0; i < COUNT(seen); i++)
		add_drawn(&l, cover_program(c), (int)(i % SETS), seen[i], dice);
	try_all(t, &l, d, l.n, COLS_LONG + draw_range(dice, 0, MORE_LONG),
	    dice);
}

/* Sizes that are squares, triangles, three times a power of two, and as many
 * rows as columns: small ones are of these forms without a mistake's showing,
 * and a root or a third has more than 8, or 16, bits here. */
static void
try_forms(struct trial *t, enum dtype d, struct draw *dice)
{
	uint32_t root = draw_range(dice, 257, 280);
	uint32_t line = draw_range(dice, 363, 390);
	const struct {
		uint32_t rows, cols;
	} forms[] = { { 1, root * root }, { 1, line * (line + 1) / 2 },
		{ 1, 3 << 16 }, { 512, 512 } };

	for (size_t i = 0; i < COUNT(forms); i++) {
		struct op_shape s =
		    landmark_shape(t->rq->op, forms[i].rows, forms[i].cols);

		(void)trial_seek(t, &s, d, OP_DATA_INTEGER);
	}
}

/* As many elements of a kind as a counter of 16 bits holds, or one of 8 in each
 * of 64 lanes, and then others, or none: who counts what is out of the ordinary
 * finds nothing. */
static void
try_kinds(struct trial *t, enum dtype d, uint32_t kinds, uint32_t more,
    struct draw *dice)
{
	static const float of[] = { -1.0f, 1.0f, 0.0f, -0.0f, 1e30f, -1e30f,
		1e-9f, 1e-40f, 100.0f, -100.0f, NAN, INFINITY, -INFINITY };
	struct op_shape s = landmark_shape(t->rq->op, COUNT(of), kinds + more);
	struct trial_case *tc = trial_seek(t, &s, d, OP_DATA_NORMAL);

	for (uint32_t r = 0; tc && r < COUNT(of); r++) {
		float *v = tc->in->in[0] + (size_t)r * s.cols;

		for (uint32_t k = 0; k < s.cols; k++)
			v[k] = dtype_round(d,
			    k < kinds ? of[r]
			              : 1.0f + draw_normal(dice) / 64.0f);
	}
}

/* A tensor of NaNs alone: more than any group has room for in a list. */
static void
try_nans(struct trial *t, enum dtype d)
{
	struct op_shape s = landmark_shape(t->rq->op, 1, NANS);
	struct trial_case *tc = trial_seek(t, &s, d, OP_DATA_NORMAL);

	for (uint32_t k = 0; tc && k < NANS; k++)
		tc->in->in[0][k] = NAN;
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
	try_all(t, &l, d, (op->is_elementwise ? 3 : 2) * l.n,
	    COLS_SHORT + draw_range(&dice, 0, MORE_SHORT), &dice);
	try_all(t, &l, d, op->is_elementwise ? l.n / SETS * 2 : l.n,
	    ((is_product ? MIDDLE_OF_PRODUCT : MIDDLE_LEAST) +
	        draw_range(&dice, 0, MIDDLE_MORE)) *
	        MIDDLE_UNIT,
	    &dice);
	try_far(t, &l, d, &dice);
	if (!is_product)
		try_forms(t, d, &dice);
	if (op->is_elementwise) {
		try_kinds(t, d, KINDS_SHORT, 0, &dice);
		try_kinds(t, d, KINDS_LONG, MORE_KINDS, &dice);
		if (d == DTYPE_F32)
			try_nans(t, d);
		try_seen(t, c, d, &dice);
		return;
	}
	try_long(t, c, d, false, &dice);
	if (is_product)
		try_long(t, c, d, true, &dice);
	else
		try_all(t, &l, d, l.n,
		    (CUBED_LEAST + draw_range(&dice, 0, CUBED_MORE)) *
		        MIDDLE_UNIT,
		    &dice);
}

void
coverage_patterns_fill(const struct cover *c, struct op_instance *in,
    bool is_level, struct draw *dice)
{
	const struct op *op = in->op;
	struct lines l = { .n = 0 };

	for (int p = 0; p < ROW_NPATTERNS; p++)
		if (p != ROW_MASKED && (p == ROW_LEVEL) == is_level)
			add_drawn(&l, cover_program(c), 1, (enum row_pattern)p,
			    dice);
	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e = op->extent(&in->shape, i);
		bool is_down = op->smoke->shape.k > 0 && i == 1;
		float *v = in->in[i];

		for (uint32_t r = 0; v && r < (is_down ? e.cols : e.rows); r++)
			row_fill(dice, in->c->dtype, nth_line(&l, r),
			    v + (size_t)r * (is_down ? 1 : e.cols),
			    is_down ? e.rows : e.cols, is_down ? e.cols : 1);
		for (size_t k = 0; v && k < (size_t)e.rows * e.cols &&
		     op->args[i].draw == OP_DRAW_ABS;
		     k++)
			v[k] = fabsf(v[k]);
	}
	for (uint32_t i = 0; in->positions && i < in->shape.seq; i++)
		in->positions[i] = is_level ? 7 : (int32_t)i;
}
