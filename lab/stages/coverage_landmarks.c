/*
 * Who writes a path for two columns writes "u > v ? u : v" there, and a maximum
 * that starts two steps above the least number is right for all rows but those
 * of nothing else.  Such rows are few, so all of them are tried: every two of a
 * dozen numbers at every two places of a short row.
 */
#include "lab/stages/coverage_landmarks.h"

#include "lab/stages/coverage_near.h"
#include "lab/stages/coverage_plan.h"
#include "lab/stages/coverage_strays.h"
#include "ops/draw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROW_MAX    4
#define NARROW_ROWS   200
#define COLUMNS       12 /* of a product's other tensor */
#define MARKS_ALL     (NMARKS * NMARKS * NARROW_MAX)
#define EPS_ROWS      40
#define EPS_COLS      16 /* and up to so many more: */
#define EPS_MORE      8
#define HALVES_ROWS   12
#define HALVES_COLS   1024
#define HALVES_LESS   3 /* every other row's exponent is so much lower */
#define POSITIONS     96
#define POSITION_DIM  64
#define POSITION_LOW  8 /* as a power of two */
#define ORDER_PAIRS   4
#define RUN_LEAST     600
#define RUN_MOST      900
#define POSITION_BITS 23 /* up to five million */
#define GROUPS        67
#define GROUP         16
#define PAGES         24
#define PAGE          65536
#define PAGE_LAST     76
#define SLOPE_COLS    520 /* more than a tile of 256 holds */

enum landmark {
	MARK_NAN,
	MARK_INF,
	MARK_NEG_INF,
	MARK_MOST,
	MARK_LEAST,
	MARK_ZERO,
	MARK_NEG_ZERO,
	MARK_SMALL,
	MARK_NEG_SMALL,
	MARK_ONE,
	MARK_PLAIN,
	MARK_NEG_PLAIN,
	NMARKS
};

/* The largest number of a storage type, and the exponent of a number whose
 * square, times a row of 2^10 and four, is still one in float32. */
static const struct {
	float most, least_normal;
	int huge;
	float small_scale; /* of rows whose squares, and a 1,024th of these, are
	                    * not flushed */
} formats[DTYPE_NDTYPES] = {
	[DTYPE_F32] = { 0x1.fffffep127f, 0x1p-126f, 56, 0x1p-58f },
	[DTYPE_F16] = { 65504.0f, 0x1p-14f, 14, 0x1p-14f },
	[DTYPE_BF16] = { 0x1.fep127f, 0x1p-126f, 56, 0x1p-58f },
};

static float
number_of(struct draw *dice, enum dtype d, enum landmark m)
{
	float plain = 0.25f + (float)draw_range(dice, 1, 64) / 16.0f;

	switch (m) {
	case MARK_NAN:
		return draw_nan(dice);
	case MARK_INF:
		return INFINITY;
	case MARK_NEG_INF:
		return -INFINITY;
	case MARK_MOST:
		return formats[d].most;
	case MARK_LEAST:
		return -formats[d].most;
	case MARK_ZERO:
		return 0.0f;
	case MARK_NEG_ZERO:
		return -0.0f;
	case MARK_SMALL:
		return formats[d].least_normal;
	case MARK_NEG_SMALL:
		return -formats[d].least_normal;
	case MARK_ONE:
		return 1.0f;
	case MARK_PLAIN:
		return plain;
	case MARK_NEG_PLAIN:
	case NMARKS:
	default:
		return -plain;
	}
}

/* The n-th of all pairs of marks at two places of a row; of a row of one, the
 * n-th mark. */
static void
fill_row(struct draw *dice, enum dtype d, uint32_t n, float *v, uint32_t cols,
    uint32_t step)
{
	uint32_t pair = n / (NMARKS * NMARKS), a = 0;

	for (uint32_t k = 0; k < cols; k++)
		v[(size_t)k * step] = number_of(dice, d, MARK_PLAIN);
	/* Places a and a + 1 + pair, of all pairs in order. */
	pair %= cols > 1 ? cols * (cols - 1) / 2 : 1;
	while (a + 2 < cols && pair >= cols - 1 - a)
		pair -= cols - 1 - a++;
	v[(size_t)a * step] = number_of(dice, d, (enum landmark)(n % NMARKS));
	if (cols > 1)
		v[(size_t)(a + 1 + pair) * step] =
		    number_of(dice, d, (enum landmark)(n / NMARKS % NMARKS));
}

/* Of rows that are too few for all pairs, some are drawn. */
static uint32_t
nth_of(struct draw *dice, uint32_t row, uint32_t rows, uint32_t cols)
{
	uint32_t all = NMARKS * NMARKS * (cols * (cols - 1) / 2);

	return all > rows ? draw_range(dice, 0, all - 1) : row;
}

/* Rows of the first input, every other column of a product's second, whose
 * NaNs would hide all that the first one's do; weights stay as they are drawn.
 */
static void
fill_narrow(struct op_instance *in, struct draw *dice)
{
	enum dtype d = in->c->dtype;

	for (size_t i = 0; i < in->op->nargs; i++) {
		struct op_extent e;

		if (!in->in[i] || op_is_weight(in->op, i))
			continue;
		e = in->op->extent(&in->shape, i);
		for (uint32_t r = 0; i == 0 && r < e.rows; r++)
			fill_row(dice, d, nth_of(dice, r, e.rows, e.cols),
			    in->in[i] + (size_t)r * e.cols, e.cols, 1);
		for (uint32_t k = 0; i > 0 && k < e.cols; k += 2)
			fill_row(dice, d, draw_range(dice, 0, MARKS_ALL - 1),
			    in->in[i] + k, e.rows, e.cols);
	}
}

struct op_shape
landmark_shape(const struct op *op, uint32_t rows, uint32_t cols)
{
	struct op_shape s = op->smoke->shape;

	s.rows = s.m = s.seq = rows;
	s.cols = s.k = cols;
	s.n = COLUMNS;
	s.batch = 1;
	s.dim = 2 * cols;
	op_close_strides(op, &s);
	return s;
}

static void
try_narrow(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	for (uint32_t cols = 1; cols <= NARROW_MAX; cols++) {
		struct op_shape s = landmark_shape(t->rq->op,
		    NARROW_ROWS + COVERAGE_NEAR_ROWS, cols);
		struct trial_case *tc = trial_seek(t, &s, d, OP_DATA_NORMAL);

		if (!tc)
			return;
		fill_narrow(tc->in, dice);
		coverage_near_rows(t, c, tc);
		for (uint32_t i = 0; tc->in->positions && i < s.seq; i += 3)
			tc->in->positions[i] = 0;
	}
}

/* Rows that rise, or fall, all the way: a running maximum is another one at
 * every step there, by little or by as much as nearly lets it stay.  In the
 * machine alone, which sees where it is kept: a device may crash there. */
static void
try_slopes(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	static const float steps[] = { 0.0078125f, 0.25f, 1.0f, 7.5f, 15.0f,
		31.0f, 59.0f, 79.0f };
	struct op_shape s =
	    landmark_shape(t->rq->op, 2 * COUNT(steps), SLOPE_COLS);
	struct cover_run run = { .budget = COVERAGE_SOUGHT,
		.stage = LAB_STAGE_COVERAGE,
		.is_machines = true,
		.whole = true };
	float from = -(float)draw_range(dice, 1, 64);
	struct trial_case *tc;

	s.dim = 2;
	op_close_strides(t->rq->op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	if (!tc)
		return;
	tc->is_machines = true;
	for (uint32_t r = 0; r < 2 * COUNT(steps); r++)
		for (uint32_t k = 0; k < SLOPE_COLS; k++) {
			uint32_t at = r % 2 ? SLOPE_COLS - 1 - k : k;

			tc->in->in[0][(size_t)r * SLOPE_COLS + at] =
			    dtype_round(d, from + steps[r / 2] * (float)k);
		}
	run.tc = tc;
	cover_add(c, &run);
}

static bool
has_eps(const struct op *op)
{
	for (size_t i = 0; i < op->nargs; i++)
		if (strcmp(op->args[i].name, "eps") == 0)
			return true;
	return false;
}

/* Whole numbers, in half of the rows one alone: what is divided by is exact
 * then in every order, and where it is zero so is what is divided. */
static void
try_no_eps(struct trial *t, enum dtype d, struct draw *dice)
{
	for (uint32_t cols = 1; cols <= 2 && has_eps(t->rq->op); cols++) {
		struct op_shape s = landmark_shape(t->rq->op, EPS_ROWS, cols);
		struct trial_case *tc;

		s.eps = 0.0f;
		tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
		if (!tc)
			return;
		for (uint32_t r = 0; r < EPS_ROWS; r++)
			for (uint32_t k = 0; k < cols; k++) {
				float *v = tc->in->in[0] + (size_t)r * cols + k;

				*v = (float)((int)draw_range(dice, 0, 8) - 4);
				if (k > 0 && r % 2)
					*v = v[-1];
			}
	}
}

/* One to two, of both signs, times a power of ten whose squares are not
 * flushed, nor what an order of summation makes of them. */
static void
fill_scaled(struct draw *dice, enum dtype d, float scale, float *v, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		float one = 1.0f + (float)draw_range(dice, 0, 1023) / 1024.0f;

		v[k] = dtype_round(d, (k % 2 ? -one : one) * scale);
	}
}

/* Rows so small that nothing but their own squares keeps the root from zero;
 * and rows about as large as the root of an eps. */
static void
try_small_eps(struct trial *t, enum dtype d, struct draw *dice)
{
	for (int beside = 0; beside < 2 && has_eps(t->rq->op); beside++) {
		struct op_shape s = landmark_shape(t->rq->op, EPS_ROWS,
		    EPS_COLS + draw_range(dice, 0, EPS_MORE));
		float least = formats[d].small_scale;
		struct trial_case *tc;

		s.eps = beside ? least * least : 0.0f;
		tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
		for (uint32_t r = 0; tc && r < EPS_ROWS; r++)
			fill_scaled(dice, d,
			    ldexpf(least,
			        (int)(r * (beside ? 4 : 50) / EPS_ROWS)),
			    tc->in->in[0] + (size_t)r * s.cols, s.cols);
	}
}

/* In some rows one half is the other's negative, in others they alternate. */
static void
try_halves(struct trial *t, enum dtype d, struct draw *dice)
{
	struct op_shape s = landmark_shape(t->rq->op, HALVES_ROWS, HALVES_COLS);
	struct trial_case *tc;

	s.dim = 2;
	op_close_strides(t->rq->op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (uint32_t r = 0; tc && r < HALVES_ROWS; r++)
		for (uint32_t k = 0; k < HALVES_COLS; k++) {
			int e = formats[d].huge -
			    (r % 2 ? (int)(HALVES_LESS * r) : 0);
			bool is_negative =
			    r % 3 == 0 ? k % 2 == 0 : k < HALVES_COLS / 2;

			tc->in->in[0][(size_t)r * HALVES_COLS + k] =
			    ldexpf(is_negative ? -1.0f : 1.0f, e);
		}
	if (tc)
		coverage_alike_weights(tc, dice);
}

/* In the machine alone: PoCL's sine of a vector is wrong so far out.  With a
 * base that leaves most angles small enough for their error to be so. */
static void
try_positions(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	struct op_shape s =
	    landmark_shape(t->rq->op, POSITIONS, POSITION_DIM / 2);
	struct cover_run run = { .budget = COVERAGE_SOUGHT,
		.stage = LAB_STAGE_COVERAGE,
		.is_machines = true,
		.whole = true };
	struct trial_case *tc;

	s.base = powf(10.0f, (float)draw_range(dice, 6, 14));
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	if (!tc)
		return;
	tc->is_machines = true;
	for (uint32_t i = 0; i < POSITIONS; i++) {
		uint32_t bits = POSITION_LOW + i % (31 - POSITION_LOW);
		uint32_t low = (uint32_t)1 << bits;
		int32_t v = (int32_t)(low + draw_range(dice, 0, low - 1));

		/* The round ones are where a product of whole numbers, or a
		 * part of one, first turns over. */
		if (i % 4 == 0)
			v = (int32_t)low;
		tc->in->positions[i] = i % 2 ? -v : v;
		if (i % 8 == 7)
			tc->in->positions[i] =
			    abs(tc->in->positions[i - 1]) ^ (int32_t)low;
	}
	run.tc = tc;
	cover_add(c, &run);
}

/* Positions that go on by one step, or stay, as far as their ends and most of
 * them tell, and do not in between: who looks at some takes the others for
 * granted. */
static void
try_orders(struct trial *t, enum dtype d, struct draw *dice)
{
	static const int steps[] = { 1, 2, -1, 0 };

	for (size_t k = 0; k < COUNT(steps); k++) {
		uint32_t n = draw_range(dice, 5, 40), a, b;
		struct op_shape s = landmark_shape(t->rq->op, n, ORDER_PAIRS);
		int32_t first = (int32_t)draw_range(dice, 64, 999);
		struct trial_case *tc;
		int32_t *p;

		s.batch = 2;
		tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
		if (!tc)
			return;
		p = tc->in->positions;
		for (uint32_t i = 0; i < n; i++)
			p[i] = first + steps[k] * (int32_t)i;
		a = draw_range(dice, 2, n - 3);
		b = a > 2 ? a - 1 : a + 1;
		p[b] = p[a] + (steps[k] == 0);
		p[a] = first + steps[k] * (int32_t)b;
	}
}

/* Positions that go on by one step for long, as nearly all do, then by another
 * one, or back: what is turned on from one to the next is off by a little more
 * each time.  With a base that leaves most angles small, so that this is more
 * than they may be off. */
static void
try_long_run(struct trial *t, enum dtype d, struct draw *dice)
{
	const int32_t steps[] = { 1, -1, (int32_t)draw_range(dice, 2, 9),
		-(int32_t)draw_range(dice, 2, 9) };
	uint32_t n = draw_range(dice, RUN_LEAST, RUN_MOST);
	struct op_shape s =
	    landmark_shape(t->rq->op, COUNT(steps) * n, POSITION_DIM / 2);
	int32_t at = (int32_t)draw_range(dice, 0, 999);
	struct trial_case *tc;

	if (d != DTYPE_F32)
		return;
	s.base = powf(10.0f, (float)draw_range(dice, 6, 8));
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (uint32_t i = 0; tc && i < s.seq; i++) {
		tc->in->positions[i] = at;
		at += steps[i / n];
	}
}

/* Positions that differ in one bit, one after the other, and such as follow
 * each other at every magnitude: an angle that is kept for the lowest bits, or
 * for as long as they are nearly the same, is another one's. */
static void
try_low_bits(struct trial *t, enum dtype d, struct draw *dice)
{
	struct op_shape s =
	    landmark_shape(t->rq->op, 4 * POSITION_BITS, ORDER_PAIRS);
	struct trial_case *tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	int32_t first = (int32_t)draw_range(dice, 1, 999);

	for (uint32_t i = 0; tc && i < POSITION_BITS; i++) {
		int32_t *p = tc->in->positions + (size_t)4 * i;
		uint32_t low = (uint32_t)1 << i;

		p[0] = first;
		p[1] = first + (int32_t)low;
		p[2] = (int32_t)(low + draw_range(dice, 0, low / 4));
		p[3] = i % 2 ? p[2] + 1 : -p[2];
	}
}

/* Positions of which so many after each other are alike, and such as begin
 * pages: what is kept of either has room for few. */
static void
try_groups(struct trial *t, enum dtype d, struct draw *dice)
{
	struct op_shape s =
	    landmark_shape(t->rq->op, GROUPS * GROUP, POSITION_DIM / 2);
	int32_t step = (int32_t)draw_range(dice, 1, 99);
	struct trial_case *tc;

	s.base = powf(10.0f, (float)draw_range(dice, 6, 8));
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (uint32_t i = 0; tc && i < s.seq; i++)
		tc->in->positions[i] = step * (int32_t)(i / GROUP);
	s.seq = PAGES;
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (uint32_t i = 0; tc && i < s.seq; i++)
		tc->in->positions[i] =
		    PAGE * (int32_t)draw_range(dice, 0, PAGE_LAST);
}

void
coverage_landmarks(struct trial *t, struct cover *c, enum dtype d)
{
	const struct op *op = t->rq->op;
	struct draw dice;

	draw_init(&dice, t->seed.seed, "landmarks");
	if (op->is_elementwise)
		return;
	try_narrow(t, c, d, &dice);
	try_no_eps(t, d, &dice);
	try_small_eps(t, d, &dice);
	if (t->cases[0].in->positions) {
		try_positions(t, c, d, &dice);
		try_orders(t, d, &dice);
		try_long_run(t, d, &dice);
		try_low_bits(t, d, &dice);
		try_groups(t, d, &dice);
	} else {
		try_halves(t, d, &dice);
		try_slopes(t, c, d, &dice);
	}
}
