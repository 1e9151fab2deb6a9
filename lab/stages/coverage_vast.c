/*
 * Rows of sixteen million columns, and sixteen million rows.
 *
 * A column's number in digits, a block's in sixteen bits, a count beside
 * something else in a word, a row in a float, sums by the levels of a tree:
 * each is enough for millions, and then it is not.  The lab's machine leaps
 * over loops of plain counters alone, so that a device runs these, and for they
 * take a while only where the program keeps such a thing (cond_keeps_little()).
 */
#include "lab/stages/coverage_vast.h"

#include "base/units.h"
#include "lab/probe/condition.h"
#include "lab/run/geometry.h"
#include "lab/stages/coverage_landmarks.h"
#include "lab/stages/coverage_long.h"
#include "ops/draw.h"
#include <math.h>

/* More than a float counts to, than 24 bits hold, than 65,536 of 255. */
#define VAST       ((uint32_t)1 << 24)
#define WIDE       ((uint32_t)3 << 23)
#define PIECE      4096
#define PIECES_MAX 4
#define BEHIND     255
#define COUNTED    ((size_t)1 << 22)
/* Of tall tensors: */
#define ITEMS_MOST (2 * (uint64_t)VAST)
#define GROUP_MOST 64
#define COMPARED   32
#define LEVEL_MOST 128.0f

/* The sizes of what has so many columns, or so many rows. */
static struct op_shape
shape_of(const struct op *op, uint32_t n, bool is_wide)
{
	struct op_shape s =
	    is_wide ? landmark_shape(op, 1, n) : landmark_shape(op, n, 1);

	s.n = 1;
	op_close_strides(op, &s);
	return s;
}

/* One more than whole pieces, which is what a float rounds away. */
static uint32_t
odd_one(struct draw *dice)
{
	return 1 + PIECE * draw_range(dice, 1, PIECES_MAX);
}

/* A row of nothing but its first element, its last one and one next to where
 * products of columns leave 32 bits: no order of its terms rounds their sum.
 * So wide that a column's number by 256 items leaves them, too, where that
 * fits. */
static void
try_ends(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	static const float ends[] = { 1.0f, 2.0f, 256.0f };
	uint32_t cols = WIDE, more = odd_one(dice);
	uint32_t behind = draw_range(dice, 0, BEHIND);
	struct op_shape s = shape_of(t->rq->op, cols + more, true);
	struct trial_case *tc =
	    coverage_long_launch(t, c, d, &s, OP_DATA_INTEGER);

	if (!tc) {
		cols = VAST;
		s = shape_of(t->rq->op, cols + more, true);
		tc = coverage_long_launch(t, c, d, &s, OP_DATA_INTEGER);
	}
	for (uint32_t k = 0; tc && k < cols + more; k++)
		tc->in->in[0][k] = 0.0f;
	for (size_t i = 0; tc && i < COUNT(ends); i++) {
		uint32_t at = i == 0 ? 0
		    : i == 1         ? cols + behind
		                     : cols + more - 1;

		tc->in->in[0][at] = ends[i];
		/* A product's other factor may have drawn a zero there. */
		if (t->rq->op->smoke->shape.k > 0)
			tc->in->in[1][at] = 1.0f;
	}
}

/* The largest power of two that the program's comparisons let through. */
static float
level_of(struct cover *c)
{
	float all[COMPARED], most = 0.0f, level = LEVEL_MOST;
	size_t n = cond_constants_compared(cover_program(c), all, COMPARED);

	for (size_t i = 0; i < n; i++)
		if (fabsf(all[i]) <= LEVEL_MOST && fabsf(all[i]) > most)
			most = fabsf(all[i]);
	while (most >= 1.0f && level > most)
		level /= 2.0f;
	return level;
}

/* A row of one whole number, whose sum and whose squares' sum leave 31 bits; and
 * so many of it that a count in fewer bits than 24 is back at nothing, as is
 * the weight of half as many in a mean.  Every order sums as many exactly, and
 * no more. */
static void
try_level(struct trial *t, struct cover *c, enum dtype d, uint32_t cols)
{
	struct op_shape s = shape_of(t->rq->op, cols, true);
	struct trial_case *tc =
	    coverage_long_launch(t, c, d, &s, OP_DATA_INTEGER);
	float level = level_of(c);

	for (uint32_t k = 0; tc && k < cols; k++)
		tc->in->in[0][k] = level;
}

/* Rows of one number each, so many that a count in fewer bits than their
 * columns have is back at nothing. */
static void
try_counted(struct trial *t, enum dtype d)
{
	static const float of[] = { 1e-9f, 1.0f, -1.0f, NAN };
	struct op_shape s = landmark_shape(t->rq->op, COUNT(of), COUNTED);
	struct trial_case *tc = trial_seek(t, &s, d, OP_DATA_INTEGER);

	for (size_t i = 0; tc && i < t->rq->op->nargs; i++)
		for (size_t k = 0; tc->in->in[i] && k < COUNT(of) * COUNTED;
		     k++)
			tc->in->in[i][k] = dtype_round(d, of[k / COUNTED]);
}

/* So many rows, unless groups share each, or are large; nothing is drawn for
 * these. */
static void
try_tall(struct trial *t, enum dtype d, uint32_t rows)
{
	struct op_shape s = shape_of(t->rq->op, rows, false);
	struct order_geometry g;
	struct trial_case *tc;
	uint64_t items, group;

	if (geometry_eval(t->rq->op, &s, t->rq->candidate, &g, NULL) != ERR_OK)
		return;
	(void)geometry_groups(&g, &items);
	group = geometry_group_items(&g);
	if (items > ITEMS_MOST ||
	    (items < rows &&
	        (group > GROUP_MOST ||
	            (group > 1 && t->depends & TEXT_DEPENDS_BARRIER))))
		return;
	tc = trial_seek(t, &s, d, OP_DATA_INTEGER);
	if (tc)
		tc->is_machines = false;
}

void
coverage_vast(struct trial *t, struct cover *c, enum dtype d)
{
	const struct op *op = t->rq->op;
	bool is_of_positions = t->cases[0].in->positions != NULL;
	size_t from = t->ncases;
	struct draw dice;
	struct op_shape s;

	if (!seek_keeps_little(cover_seek(c)))
		return;
	draw_init(&dice, t->seed.seed, "vast");
	if (op->is_elementwise) {
		s = shape_of(op, VAST + odd_one(&dice), true);
		(void)trial_seek(t, &s, d, OP_DATA_INTEGER);
		try_counted(t, d);
	} else if (!is_of_positions) {
		try_ends(t, c, d, &dice);
		try_level(t, c, d, VAST);
		try_level(t, c, d, VAST / 2 + 1);
	}
	try_tall(t, d, VAST + odd_one(&dice));
	for (size_t i = from; i < t->ncases; i++)
		t->cases[i].is_vast = true;
}
