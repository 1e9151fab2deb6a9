/*
 * Rows for what a kernel counts to, or divides by.
 *
 * Only a device walks a row of millions, so that these are launched where the
 * program says that it may not count as far: one element behind what it counts
 * to outweighs the others, and where each item counts its rounds in a few bits,
 * the rounds of each are a multiple of what these hold, in rows that are all
 * counted: of one number, of NaNs.  Where an item's row is no quotient for some
 * size, what it misses is the first or the last element of a row.
 */
#include "lab/stages/coverage_long.h"

#include "lab/run/geometry.h"
#include "ops/draw.h"
#include <math.h>

#define BITS_MIN     17
#define MORE_MAX     300 /* columns behind what is counted to */
#define PIECE        64
#define MORE_OF_LOG  1 /* a float that rounds down does so next to it */
#define WALKERS_MAX  4096
#define ELEMENTS_MAX (((uint64_t)1 << 26) + UINT64_C(4) * MORE_MAX)
#define DEAREST      ((uint64_t)1 << 25)   /* where it is dear: no output */
#define INPUT_MOST   ((uint64_t)240 << 20) /* bytes; a child has 256 MiB */
#define HEAVY        1e9f
#define OUTWEIGHS    100.0f
#define HEAVY_BITS   23 /* from here on a sum's error may be as much */

#define QUOTIENTS_MAX 6

/* Where floats are summed as whole numbers of 64 bits: */
#define WIDE_BITS  64
#define WIDE_COLS  ((1U << 23) + (1U << 13) + 1)
#define WIDE_LEVEL 65504.0f
/* And of fewer, where a long row of what they are compared with is not enough: */
#define INT_SUM     2200000000.0f
#define LIMITS_MAX  64
#define LIMIT_LEAST 80.0f
#define LIMIT_MOST  16384.0f

/* A threshold below which a maximum stays, and as many terms as are 2^128 with
 * a smaller one's exponential. */
#define RISE_LEAST 79.0f
#define RISE_MOST  104.0f
#define RISE_NEXT  0.0625f
#define RISE_TERMS 20480
#define RISE_LANES 256

#define COUNTERS_MAX  2
#define MASK_LEAST    ((uint64_t)1 << 18)
#define COUNTED_MOST  ((uint64_t)1 << 22)
#define COUNTED_WHOLE ((uint64_t)3 << 20) /* elements of rows together */

enum counted { ROW_CONSTANT, ROW_NANS, ROW_POSITIVE, ROW_NEGATIVE, NROWS };

static bool
is_of_rows(const struct trial *t)
{
	return t->cases[0].in->shape.cols > 0 && !t->rq->op->is_elementwise;
}

static uint64_t
input_bytes(const struct trial *t, const struct op_shape *s, enum dtype d)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->rq->op->nargs; i++)
		if (t->rq->op->args[i].kind == OP_IN) {
			struct op_extent e = t->rq->op->extent(s, i);

			n += (uint64_t)e.rows * e.stride * dtype_bytes(d);
		}
	return n;
}

struct trial_case *
coverage_long_launch(struct trial *t, struct cover *c, enum dtype d,
    const struct op_shape *s, enum op_data data)
{
	struct trial_case *tc;

	if (input_bytes(t, s, d) > INPUT_MOST ||
	    seek_walkers(cover_seek(c), s) > WALKERS_MAX)
		return NULL;
	tc = trial_seek(t, s, d, data);
	if (tc && tc->geometry_err != ERR_OK) {
		trial_unseek(t);
		tc = NULL;
	}
	return tc;
}

static struct trial_case *
seek_rows(struct trial *t, struct cover *c, enum dtype d, uint32_t rows,
    uint64_t cols)
{
	struct op_shape shape = t->cases[0].in->shape;

	shape.rows = rows;
	shape.cols = (uint32_t)cols;
	op_close_strides(t->rq->op, &shape);
	return coverage_long_launch(t, c, d, &shape, OP_DATA_NORMAL);
}

static uint64_t
elements(const struct trial *t, uint64_t cols)
{
	struct op_shape shape = t->cases[0].in->shape;
	uint64_t n = 0;

	shape.rows = 1;
	shape.cols = (uint32_t)cols;
	op_close_strides(t->rq->op, &shape);
	for (size_t i = 0; i < t->rq->op->nargs; i++)
		if (t->rq->op->args[i].kind == OP_IN ||
		    t->rq->op->args[i].kind == OP_OUT)
			n += t->rq->op->extent(&shape, i).cols;
	return n > 0 ? n : 1;
}

/* One row, with an element at the end that nobody may miss, and another one at
 * the start. */
static void
try_row(struct trial *t, struct cover *c, enum dtype d, uint32_t bits,
    uint32_t more, uint32_t back)
{
	uint64_t cols = ((uint64_t)1 << bits) + more;
	struct trial_case *tc = seek_rows(t, c, d, 1, cols);

	if (!tc)
		return;
	tc->in->in[0][cols - 1 - back] = bits < HEAVY_BITS ? HEAVY : INFINITY;
	if (bits < HEAVY_BITS)
		tc->in->in[0][0] = HEAVY / 4.0f;
}

/* A row that ends next to what the kernel may count to, and one that goes on
 * for some rounds of a group. */
static void
try_counted_columns(struct trial *t, struct cover *c, enum dtype d,
    struct draw *dice)
{
	uint32_t bits = seek_counts_to(cover_seek(c), COND_COUNT_BITS_MAX);
	uint32_t more = draw_range(dice, 2, MORE_MAX);
	bool is_next = draw_range(dice, 0, 1) == 1;

	/* One column beside whole pieces, which a float rounds away. */
	if (is_next)
		more = more / PIECE * PIECE + 1;

	if (bits == COND_COUNT_BITS_MAX &&
	    elements(t, (uint64_t)1 << bits) > DEAREST + MORE_MAX)
		bits = seek_counts_to(cover_seek(c), bits - 1);
	if (bits >= BITS_MIN &&
	    elements(t, (uint64_t)1 << bits) <= ELEMENTS_MAX)
		try_row(t, c, d, bits, more,
		    is_next ? 0 : draw_range(dice, 0, more - 1));
	if (seek_takes_log(cover_seek(c)))
		try_row(t, c, d, COND_LOG_BITS, MORE_OF_LOG, 0);
}

/* ---- what each round counts */

static void
fill(struct draw *dice, enum counted which, float *v, uint32_t n)
{
	float constant = (float)(1U << draw_range(dice, 0, 2)) / 2.0f;

	for (uint32_t k = 0; k < n; k++)
		v[k] = which == ROW_NANS    ? NAN
		    : which == ROW_CONSTANT ? constant
		    : which == ROW_POSITIVE ? fabsf(v[k])
		                            : -constant;
}

/* As many rows as are affordable, from the n-th on.  Returns how many. */
static uint32_t
try_counted(struct trial *t, struct cover *c, enum dtype d, struct draw *dice,
    uint64_t cols, uint32_t from)
{
	uint64_t rows = COUNTED_WHOLE / elements(t, cols);
	struct trial_case *tc;

	rows = rows < 1 ? 1 : rows > NROWS ? NROWS : rows;
	tc = seek_rows(t, c, d, (uint32_t)rows, cols);
	for (uint32_t r = 0; tc && r < rows; r++)
		fill(dice, (enum counted)((from + r) % NROWS),
		    tc->in->in[0] + r * cols, (uint32_t)cols);
	return (uint32_t)rows;
}

static void
try_counters(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	uint64_t cols[COUNTERS_MAX];
	size_t n = seek_counted_columns(cover_seek(c), COUNTED_MOST, cols,
	    COUNTERS_MAX);

	for (size_t i = 0; i < n; i++) {
		uint32_t at = try_counted(t, c, d, dice, cols[i], ROW_CONSTANT);

		if (at < NROWS / 2)
			(void)try_counted(t, c, d, dice, cols[i], at);
		(void)try_counted(t, c, d, dice,
		    cols[i] + draw_range(dice, 1, MORE_MAX), ROW_CONSTANT);
	}
}

/* What is counted in the lower bits of a word is nothing again at what these
 * hold: that many of one number, or so many NaNs and some numbers. */
static void
try_masks(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	uint64_t all[LIMITS_MAX];
	size_t n = cond_constants_whole(cover_program(c), all, LIMITS_MAX);
	unsigned tried = 0;

	for (size_t i = 0; i < n && tried < COUNTERS_MAX; i++) {
		uint64_t held = all[i] & 1 ? all[i] + 1 : all[i];
		struct trial_case *tc;

		if (held < MASK_LEAST || held > COUNTED_MOST ||
		    (held & (held - 1)) != 0)
			continue;
		tried++;
		(void)try_counted(t, c, d, dice, held, ROW_CONSTANT);
		tc = seek_rows(t, c, d, 1, held + PIECE);
		if (tc)
			fill(dice, ROW_NANS, tc->in->in[0], (uint32_t)held);
	}
}

/* The largest whole number that a value is compared with, of those whose sum
 * leaves an int in a row that a device walks; 0: there is none. */
static float
whole_limit(struct cover *c)
{
	float all[LIMITS_MAX], most = 0.0f;
	size_t n = cond_constants_compared(cover_program(c), all, LIMITS_MAX);

	for (size_t i = 0; i < n; i++) {
		float v = floorf(fabsf(all[i]));

		if (v >= LIMIT_LEAST && v <= LIMIT_MOST && v > most)
			most = v;
	}
	return most;
}

/* A row of one large number, whose sum in fixed point has more than 63 bits; and
 * one of a small number that is large enough for 31. */
static void
try_whole_sums(struct trial *t, struct cover *c, enum dtype d)
{
	uint32_t bits = cond_makes_whole(cover_program(c)), cols = WIDE_COLS;
	float level = WIDE_LEVEL;
	struct trial_case *tc;

	if (bits == 0)
		return;
	if (bits < WIDE_BITS) {
		level = whole_limit(c);
		cols = level > 0.0f ? (uint32_t)(INT_SUM / level) + 1 : 0;
	}
	if (cols == 0)
		return;
	tc = seek_rows(t, c, d, 1, cols);
	for (uint32_t k = 0; tc && k < cols; k++)
		tc->in->in[0][k] = dtype_round(d, level);
}

/* ---- what is put off */

/* A running maximum that is moved only where an element is above it by more than
 * a constant lets each term be as large as the exponential of that.  Some start
 * just below it, and so many follow for each of a group's items that their sum
 * is beyond what a float holds. */
static void
try_late_rise(struct trial *t, struct cover *c, enum dtype d)
{
	float all[LIMITS_MAX], by = 0.0f;
	size_t n = cond_constants_real(cover_program(c), all, LIMITS_MAX);
	uint64_t lanes;
	struct trial_case *tc;

	for (size_t i = 0; i < n; i++)
		if (all[i] >= RISE_LEAST && all[i] <= RISE_MOST && all[i] > by)
			by = all[i];
	if (by == 0.0f || t->cases[0].geometry_err != ERR_OK)
		return;
	lanes = geometry_group_items(&t->cases[0].geometry);
	tc = lanes > RISE_LANES
	    ? NULL
	    : seek_rows(t, c, d, 1, lanes * RISE_TERMS + MORE_MAX);
	for (uint64_t k = 0; tc && k < tc->in->shape.cols; k++)
		tc->in->in[0][k] =
		    k < lanes ? dtype_round(d, RISE_NEXT - by) : 0.0f;
}

/* ---- what is no quotient */

static void
plant_at_end(struct trial *t, struct trial_case *tc, bool last)
{
	struct op_extent e = t->rq->op->extent(&tc->in->shape, 0);

	if (t->rq->op->is_elementwise || tc->in->positions || e.cols == 0)
		return;
	for (uint32_t r = 0; r < e.rows; r++)
		tc->in->in[0][(size_t)r * e.cols + (last ? e.cols - 1 : 0)] =
		    OUTWEIGHS;
}

static void
try_quotients(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shapes[QUOTIENTS_MAX];
	size_t n = seek_quotients(cover_seek(c), shapes, QUOTIENTS_MAX);

	for (size_t i = 0; i < 2 * n; i++) {
		struct trial_case *tc =
		    trial_seek(t, &shapes[i / 2], d, OP_DATA_NORMAL);

		if (tc)
			plant_at_end(t, tc, i % 2 == 0);
	}
}

void
coverage_long(struct trial *t, struct cover *c, enum dtype d, bool first)
{
	struct draw dice;

	if (first || (t->depends & TEXT_DEPENDS_STORAGE) != 0)
		try_quotients(t, c, d);
	if (!is_of_rows(t))
		return;
	draw_init(&dice, t->seed.seed, "long rows");
	if (first && d == DTYPE_F32)
		try_counted_columns(t, c, d, &dice);
	if (!first && (t->depends & TEXT_DEPENDS_STORAGE) == 0)
		return;
	try_counters(t, c, d, &dice);
	try_masks(t, c, d, &dice);
	try_whole_sums(t, c, d);
	if (first)
		try_late_rise(t, c, d);
}
