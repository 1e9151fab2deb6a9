/*
 * Who looks at ten places of a row takes the others for granted: a row that is
 * constant there, or falls, is constant or falls all the way.  Who goes through
 * a row in pieces may leave out an element of each, which in a row of drawn
 * numbers nobody misses; and who leaves out what is small beside what he has so
 * far is right as long as few are.  Who goes through many rows may start from what
 * the one before has left.
 */
#include "lab/stages/coverage_strays.h"

#include "lab/run/geometry.h"
#include "lab/stages/coverage_landmarks.h"
#include "lab/stages/coverage_near.h"
#include "lab/stages/coverage_plan.h"
#include "ops/draw.h"
#include "ops/near_values.h"
#include <math.h>

#define ALIKE_ROWS       60
#define ALIKE_COLS       70   /* and up to as many more */
#define LEVEL_ROWS       24   /* behind them */
#define WALK_MOST        4096 /* groups, or items, that walk rows */
#define WALK_FEW         200
#define WALK_STEPS       72  /* rows that somebody walks on to: far ones, */
#define WALK_MORE        132 /* and near ones and pairs in turn */
#define WALK_COLS        32
#define BEGIN_BITS       9    /* as powers of two, up to 256 elements */
#define BEGIN_COLS       8213 /* 510 rounds of sixteen, and some more */
#define LONG_WALKERS     64
#define LONG_WALK        262
#define LONG_COLS        66
#define WALK_COLS_OF_FEW 400 /* more than somebody looks at */
#define LEVEL_MOST       400.0f
#define STEP             0.25f
#define STRAY            6.0f
#define HEAVY            100.0f
#define CONSTANTS_MAX    64
#define HEAVY_MAX        45 /* rows */
#define HEAVY_LAST       8400
#define HEAVY_OTHER      2 /* columns of a product's other tensor */
#define AGAINST_MAX      8
#define AGAINST_COLS     4099
#define AGAINST_LEAST    1e-9f
#define AGAINST_MOST     100.0f
#define BESIDE           (1.0f / 64.0f)
#define PEAK_PARTS       16

/* ---- rows that are alike, fall or rise but for one element */

static void
fill_alike(struct draw *dice, enum dtype d, uint32_t row, bool is_abs, float *v,
    uint32_t n)
{
	float first = (float)((int)draw_range(dice, 0, 16) - 8) / 2.0f;
	float step = row % 3 == 0 ? 0.0f : row % 3 == 1 ? -STEP : STEP;
	float over = fabsf(step) * (float)n + STRAY;
	uint32_t at = draw_range(dice, 0, n - 1);

	for (uint32_t k = 0; k < n; k++)
		v[k] = dtype_round(d, first + step * (float)k);
	v[at] = dtype_round(d, row / 3 % 2 ? first - over : first + over);
	for (uint32_t k = 0; is_abs && k < n; k++)
		v[k] = fabsf(v[k]);
}

void
coverage_alike_weights(struct trial_case *tc, struct draw *dice)
{
	const struct op *op = tc->in->op;

	for (size_t i = 0; i < op->nargs; i++) {
		float one = 1.0f + (float)draw_range(dice, 0, 16) / 8.0f;
		uint32_t n, way = draw_range(dice, 0, 2);

		if (!tc->in->in[i] || !op_is_weight(op, i))
			continue;
		n = op->extent(&tc->in->shape, i).cols;
		if (n == 0)
			continue;
		for (uint32_t k = 0; k < n; k++)
			tc->in->in[i][k] = one;
		tc->in->in[i][draw_range(dice, 0, n - 1)] = way == 0 ? -one
		    : way == 1                                       ? 3 * one
		                                                     : HEAVY;
	}
}

/* Steps about where exponentials end, or lose their last places. */
static const float steps[] = { 0.0f, 20.0f, 40.0f, 62.0f, 88.0f, 104.0f };

/* At a level, every other element so much lower. */
static void
fill_level(struct draw *dice, enum dtype d, float level, float lower, float *v,
    uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		float little = (float)draw_range(dice, 0, 256) / 256.0f;

		v[k] = dtype_round(d, level + little - (k % 2 ? lower : 0.0f));
	}
}

static void
draw_level(struct draw *dice, enum dtype d, float *v, uint32_t n)
{
	float level = steps[draw_range(dice, 0, COUNT(steps) - 1)];
	float lower = steps[draw_range(dice, 0, COUNT(steps) - 1)];

	fill_level(dice, d, draw_range(dice, 0, 3) ? -level : level, lower, v,
	    n);
}

/* The nth row behind another one that lies before it: each step up and down
 * from there, with each of what every other element is lower by; then rows that
 * are nearly the same. */
static void
fill_behind(struct draw *dice, enum dtype d, uint32_t nth, const float *before,
    float *v, uint32_t n)
{
	float by = steps[nth / 2 / COUNT(steps) % COUNT(steps)];
	float level = floorf(before[0]) + (nth % 2 ? by : -by);

	if (nth >= WALK_STEPS)
		near_copy(dice, d, ldexpf(1.0f, -(int)draw_range(dice, 3, 20)),
		    before, v, n, 1);
	else
		fill_level(dice, d, fabsf(level) > LEVEL_MOST ? 0.0f : level,
		    steps[nth / 2 % COUNT(steps)], v, n);
}

static void
try_alike(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	const struct op *op = t->rq->op;
	/* A pair of a rope knows nothing of the next one. */
	bool has_near = !t->cases[0].in->positions;
	struct op_shape s = landmark_shape(op,
	    ALIKE_ROWS + (has_near ? LEVEL_ROWS + COVERAGE_NEAR_ROWS : 0),
	    ALIKE_COLS + draw_range(dice, 0, ALIKE_COLS));
	struct trial_case *tc = trial_seek(t, &s, d, OP_DATA_NORMAL);

	for (size_t i = 0; tc && i < op->nargs; i++) {
		bool is_abs = op->args[i].draw == OP_DRAW_ABS;
		struct op_extent e;

		if (!tc->in->in[i] || op_is_weight(op, i))
			continue;
		e = op->extent(&s, i);
		for (uint32_t r = 0; r < e.rows; r++) {
			float *v = tc->in->in[i] + (size_t)r * e.cols;

			if (r < ALIKE_ROWS || i > 0 || op->is_elementwise)
				fill_alike(dice, d, r, is_abs, v, e.cols);
			else
				draw_level(dice, d, v, e.cols);
		}
	}
	if (tc)
		coverage_alike_weights(tc, dice);
	if (tc && has_near)
		coverage_near_rows(t, c, tc);
}

/* ---- rows that one group walks */

/* As powers of two. */
static const int far_apart[DTYPE_NDTYPES] = {
	[DTYPE_F32] = 40,
	[DTYPE_F16] = 12,
	[DTYPE_BF16] = 40,
};

/* Of a launch: its groups, or its items. */
static uint64_t
count_walkers(const struct trial_case *tc, bool of_items)
{
	uint64_t items, groups = geometry_groups(&tc->geometry, &items);

	return of_items ? items : groups;
}

/* How many walk the most rows of any launch. */
static uint64_t
most_walkers(const struct trial *t, bool of_items)
{
	uint64_t n = 0;
	uint32_t rows = 0;

	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].geometry_err == ERR_OK &&
		    t->cases[i].in->shape.rows > rows) {
			rows = t->cases[i].in->shape.rows;
			n = count_walkers(&t->cases[i], of_items);
		}
	return n;
}

/* The nth row that is behind another one, and that row, where both are drawn
 * anew: of the same sums; the same but for one element; as far from each other
 * as the squares of the one and the other are not flushed. */
static void
fill_pair(struct draw *dice, enum dtype d, uint32_t nth, float *before,
    float *v, uint32_t n)
{
	if (nth % 3 == 0) {
		near_twins(dice, d, before, v, n);
		return;
	}
	for (uint32_t k = 0; k < n; k++) {
		float one = 1.0f + (float)draw_range(dice, 0, 255) / 256.0f;

		before[k] = dtype_round(d,
		    nth % 3 == 1 ? 1.0f : ldexpf(one, far_apart[d]));
		v[k] = dtype_round(d,
		    nth % 3 == 1 ? 1.0f : ldexpf(one, -far_apart[d]));
	}
	if (nth % 3 == 1)
		v[draw_range(dice, 0, n - 1)] = STRAY;
}

/* A launch of so many walkers; NULL: it cannot be had. */
static struct trial_case *
seek_walk(struct trial *t, enum dtype d, const struct op_shape *s,
    uint64_t walkers, bool of_items)
{
	struct trial_case *tc = trial_seek(t, s, d, OP_DATA_NORMAL);

	if (tc &&
	    (tc->geometry_err != ERR_OK ||
	        count_walkers(tc, of_items) != walkers)) {
		trial_unseek(t);
		return NULL;
	}
	return tc;
}

/* More rows than eight bits count for each walker.  Its first one alone is high
 * behind the first element, or holds a NaN, and all others are low there: what
 * is left of the first, and is told by the number of a row in eight bits, is
 * taken for a later one's. */
static void
try_long_walk(struct trial *t, enum dtype d, struct draw *dice,
    uint64_t walkers, bool of_items)
{
	struct op_shape s;
	struct trial_case *tc;

	if (walkers == 0 || walkers > LONG_WALKERS)
		return;
	s = landmark_shape(t->rq->op, (uint32_t)walkers * LONG_WALK, LONG_COLS);
	tc = seek_walk(t, d, &s, walkers, of_items);
	for (uint32_t r = 0; tc && r < s.rows; r++) {
		float *v = tc->in->in[0] + (size_t)r * s.cols;

		v[0] = r < walkers ? 0.0f : 3.0f;
		for (uint32_t k = 1; k < s.cols; k++)
			v[k] = r < walkers ? STRAY
			    : r % 4 == 0   ? -INFINITY
			                   : 1.0f;
		if (r < walkers && r % 2 == 1)
			v[draw_range(dice, 0, s.cols - 1)] = draw_nan(dice);
	}
}

/* More rows than there ever are groups, or items, to take them: the row that
 * one has taken before is far from the next one, or nearly the same. */
static void
try_walk(struct trial *t, enum dtype d, struct draw *dice, uint64_t walkers,
    bool of_items)
{
	struct op_shape s;
	struct trial_case *tc;

	if (walkers == 0 || walkers > WALK_MOST)
		return;
	s = landmark_shape(t->rq->op, (uint32_t)walkers + WALK_MORE,
	    walkers <= WALK_FEW ? WALK_COLS_OF_FEW : WALK_COLS);
	s.eps = 0.0f;
	tc = seek_walk(t, d, &s, walkers, of_items);
	for (uint32_t r = 0; tc && r < s.rows; r++) {
		float *v = tc->in->in[0] + (size_t)r * s.cols;
		float *before = r < walkers ? NULL : v - walkers * s.cols;
		uint32_t nth = r - (uint32_t)walkers;

		if (!before)
			draw_level(dice, d, v, s.cols);
		else if (nth < WALK_STEPS || nth / walkers % 2 == 1)
			/* A pair's second row is no other pair's first. */
			fill_behind(dice, d, nth, before, v, s.cols);
		else
			fill_pair(dice, d, nth / 2, before, v, s.cols);
	}
}

/* By groups, and by items where that is not the same. */
static void
try_walkers(struct trial *t, enum dtype d, struct draw *dice,
    void (*try)(struct trial *t, enum dtype d, struct draw *dice,
        uint64_t walkers, bool of_items))
{
	try(t, d, dice, most_walkers(t, false), false);
	if (most_walkers(t, true) != most_walkers(t, false))
		try(t, d, dice, most_walkers(t, true), true);
}

/* ---- where constants point */

/* Columns at the program's constants and beside them. */
static uint32_t
heavy_columns(const struct program *p, uint32_t out[HEAVY_MAX])
{
	uint64_t all[CONSTANTS_MAX];
	size_t n = cond_constants_whole(p, all, CONSTANTS_MAX);
	uint32_t found = 0;

	for (size_t i = n; i-- > 0;)
		for (uint64_t by = 0; by < 3 && found < HEAVY_MAX; by++)
			if (all[i] > 8 && all[i] <= HEAVY_LAST)
				out[found++] = (uint32_t)(all[i] + by - 1);
	return found;
}

/* Constants that a sum may be held against. */
static uint32_t
real_constants(const struct program *p, float out[AGAINST_MAX])
{
	float all[CONSTANTS_MAX];
	size_t n = cond_constants_real(p, all, CONSTANTS_MAX);
	uint32_t found = 0;

	for (size_t i = 0; i < n && found < AGAINST_MAX; i++) {
		float v = fabsf(all[i]);

		if (v >= AGAINST_LEAST && v <= AGAINST_MOST &&
		    (found == 0 || out[found - 1] != v))
			out[found++] = v;
	}
	return found;
}

/* Zero and next to a constant below it; one and next to a constant of it. */
static void
fill_against(enum dtype d, float constant, bool is_below, float *v, uint32_t n)
{
	float other =
	    is_below ? -constant * (1.0f + BESIDE) : constant * (1.0f - BESIDE);

	v[0] = is_below ? 0.0f : 1.0f;
	for (uint32_t k = 1; k < n; k++)
		v[k] = dtype_round(d, other);
}

static void
try_constants(struct trial *t, struct cover *c, enum dtype d)
{
	const struct op *op = t->rq->op;
	uint32_t at[HEAVY_MAX], cols = 0, row = 0;
	float against[AGAINST_MAX];
	uint32_t nheavy = heavy_columns(cover_program(c), at);
	uint32_t nreal = real_constants(cover_program(c), against);
	struct trial_case *tc;
	struct op_shape s;
	float *v;

	if (nreal > 0)
		cols = AGAINST_COLS;
	for (uint32_t i = 0; i < nheavy; i++)
		cols = at[i] + 2 > cols ? at[i] + 2 : cols;
	if (nheavy + nreal == 0)
		return;
	s = landmark_shape(op, nheavy + 2 * nreal, cols);
	s.n = HEAVY_OTHER;
	op_close_strides(op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	if (!tc)
		return;
	for (v = tc->in->in[0]; row < nheavy; row++, v += cols)
		v[at[row]] = HEAVY;
	for (uint32_t i = 0; i < 2 * nreal; i++, v += cols)
		fill_against(d, against[i / 2], i % 2 == 0, v, cols);
}

/* Long rows whose first elements, as many as a group may have items, are next
 * to nothing beside all others, or all that there is: what is told by the first
 * ones, and what is left of them in a later round of eight bits. */
static void
try_beginnings(struct trial *t, enum dtype d)
{
	static const float tiny[DTYPE_NDTYPES] = { [DTYPE_F32] = 0x1p-60f,
		[DTYPE_F16] = 0x1p-13f,
		[DTYPE_BF16] = 0x1p-60f };
	struct op_shape s =
	    landmark_shape(t->rq->op, 2 * BEGIN_BITS, BEGIN_COLS);
	struct trial_case *tc;

	s.n = HEAVY_OTHER;
	op_close_strides(t->rq->op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (uint32_t r = 0; tc && r < 2 * BEGIN_BITS; r++) {
		float *v = tc->in->in[0] + (size_t)r * BEGIN_COLS;

		for (uint32_t k = 0; k < BEGIN_COLS; k++)
			if (k >> (r / 2) == 0)
				v[k] = r % 2 ? 1.0f : tiny[d];
			else
				v[k] = r % 2 ? 0.0f : 2.0f;
	}
}

/* Plain rows, as many as it takes to tell errors by, of lengths that other cases
 * have in a row or two: a sum of 131,072 terms may be off by a hundredth in the
 * worst case, and never is. */
static void
try_errors(struct trial *t, enum dtype d)
{
	static const uint32_t shapes[][2] = { { 40, 4099 }, { 7, 131101 } };

	for (size_t i = 0; t->rq->op->sums && i < COUNT(shapes); i++) {
		struct op_shape s =
		    landmark_shape(t->rq->op, shapes[i][0], shapes[i][1]);
		struct trial_case *tc;

		s.k = 0; /* it is no product */
		tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
		if (tc)
			tc->is_pooled = true;
	}
}

void
coverage_plant_peaks(const struct trial *t, struct trial_case *tc)
{
	const struct op *op = t->rq->op;
	struct op_extent e = op->extent(&tc->in->shape, 0);
	struct draw dice;

	if (op->is_elementwise || tc->in->positions || e.rows == 0)
		return;
	draw_init(&dice, t->seed.seed, "peaks");
	for (uint32_t r = 0; r < e.rows && e.cols > 0; r++) {
		uint64_t part =
		    (uint64_t)e.cols * (r % PEAK_PARTS) / PEAK_PARTS;
		uint32_t at =
		    (uint32_t)part + draw_range(&dice, 0, e.cols / PEAK_PARTS);

		tc->in->in[0][(size_t)r * e.cols + at % e.cols] = HEAVY;
	}
}

void
coverage_strays(struct trial *t, struct cover *c, enum dtype d)
{
	struct draw dice;

	draw_init(&dice, t->seed.seed, "strays");
	try_alike(t, c, d, &dice);
	if (t->rq->op->is_elementwise || t->cases[0].in->positions)
		return;
	try_constants(t, c, d);
	try_beginnings(t, d);
	if (t->cases[0].in->shape.cols == 0)
		return;
	if (d == DTYPE_F32)
		try_errors(t, d);
	try_walkers(t, d, &dice, try_walk);
	try_walkers(t, d, &dice, try_long_walk);
}
