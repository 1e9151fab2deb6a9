/*
 * Long rows of many numbers, of every kind of distribution, none of which makes
 * them alike, whole or infinite: what they do not take depends on how the
 * elements of a row go together.
 */
#include "lab/stages/coverage_plain.h"

#include "lab/run/geometry.h"
#include "lab/stages/coverage_count_priv.h"
#include "lab/stages/coverage_landmarks.h"
#include "lab/stages/trial_run.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define LONG_ROW        16
#define LEAST_ROWS      3
#define MORE_ELEMENTS   ((uint32_t)1 << 17)
#define LONG_ROW_OF_ALL 70001
#define ONES_TRIED      16
#define LANES_BITS      9
#define BELOW           2  /* kinds of plain values, made negative */
#define SQUARE          64 /* rows, and columns */

/* Values of any kind, in no order and of no other pattern.  The last ones are
 * so in float32: in fewer bits they are few numbers. */
static const enum op_data plain[] = { OP_DATA_NORMAL, OP_DATA_LARGE,
	OP_DATA_WIDE, OP_DATA_RAGGED_SCALE, OP_DATA_OUTLIER, OP_DATA_TINY,
	OP_DATA_NORMAL_ABS, OP_DATA_OFFSET, OP_DATA_NEGATIVE };

static size_t
count_plain(enum dtype d)
{
	return d == DTYPE_F32 ? COUNT(plain) : COUNT(plain) - 2;
}

static bool
is_drawn_plainly(const struct op_case *c)
{
	for (size_t i = 0; i < count_plain(c->dtype); i++)
		if (c->data == plain[i])
			return !c->mix;
	return false;
}

bool
plain_is(const struct trial_case *tc)
{
	return is_drawn_plainly(tc->c) &&
	    (tc->group != TRIAL_SOUGHT || tc->is_plain);
}

bool
plain_is_long(const struct op_instance *in)
{
	const struct op_shape *s = &in->shape;
	const struct op *op = in->op;

	if (op->extent(s, 0).cols == s->k && s->k > 0)
		return s->m >= LEAST_ROWS && s->n >= LEAST_ROWS &&
		    s->k >= LONG_ROW;
	if (in->positions && s->seq < LONG_ROW)
		return false;
	return op->extent(s, 0).cols >= LONG_ROW &&
	    op->extent(s, 0).rows >= LEAST_ROWS;
}

/* An element that may be what a comparison of one element asks for: a constant
 * of the program, a number that many ask for, or another of its row. */
static float
odd_one(struct cover *c, const float *row, uint32_t n)
{
	static const float asked_for[] = { 0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f,
		FLT_MIN, FLT_MIN / 8 };
	uint32_t way = draw_range(&c->dice, 0, 5), at = 0;
	float v;

	if (way < 2 && seek_value(c->seek, c->dtype, &v))
		return v;
	if (way < 3)
		return asked_for[draw_range(&c->dice, 0, COUNT(asked_for) - 1)];
	for (uint32_t k = 1; k < n && way < 5; k++)
		at = (way == 3 ? row[k] > row[at] : row[k] < row[at]) ? k : at;
	return row[at];
}

/* One in each row, every third time the first. */
static void
plant_odd_ones(struct cover *c, struct op_instance *in)
{
	struct op_row r = { .v = NULL };

	while (op_next_row(in, &r)) {
		uint32_t at = draw_range(&c->dice, 0, r.cols - 1);
		float v = dtype_round(c->dtype, odd_one(c, r.v, r.cols));

		r.v[r.row % 3 == 0 ? 0 : at] = r.is_positive ? fabsf(v) : v;
	}
	if (in->positions)
		in->positions[draw_range(&c->dice, 0, in->shape.seq - 1)] =
		    (int32_t)draw_range(&c->dice, 0, 1);
}

/* All below zero. */
static void
make_negative(struct op_instance *in)
{
	struct op_row r = { .v = NULL };

	while (op_next_row(in, &r))
		for (uint32_t k = 0; k < r.cols && !r.is_positive; k++)
			r.v[k] = -fabsf(r.v[k]);
}

/* Every other element is zero, of a weight as often one, or like one before it, next to it or as far away
 * as lanes are. */
static void
thin_out(struct cover *c, struct op_instance *in, bool is_zero)
{
	struct op_row r = { .v = NULL };

	while (op_next_row(in, &r))
		for (uint32_t k = 0; k < r.cols; k++) {
			uint64_t dice = draw_bits(&c->dice);
			uint32_t back = 1U << (dice >> 8) % LANES_BITS;
			bool is_one =
			    op_is_weight(in->op, r.input) && dice % 4 == 0;

			if (dice % 2 == 0 && is_zero)
				r.v[k] = is_one ? 1.0f : 0.0f;
			else if (dice % 2 == 0 && k >= back)
				r.v[k] = r.v[k - back];
		}
	for (uint32_t i = 1; in->positions && i < in->shape.seq; i++)
		if (draw_range(&c->dice, 0, 1))
			in->positions[i] = is_zero ? 0 : in->positions[i - 1];
}

/* Pairs about a number, which is the mean whatever the order, and here and there
 * it: who asks whether an element is the mean meets one. */
static void
put_about_mean(struct cover *c, struct op_instance *in)
{
	float step = c->dtype == DTYPE_F32 ? 0x1p-10f
	    : c->dtype == DTYPE_F16        ? 0x1p-7f
	                                   : 0x1p-4f;
	uint32_t most = (uint32_t)(2.5f / step);
	struct op_row r = { .v = NULL };

	while (op_next_row(in, &r)) {
		float mean = step * (float)draw_range(&c->dice, 0, most);

		for (uint32_t k = 0; k < r.cols; k++)
			if (k % 2)
				r.v[k] = 2.0f * mean - r.v[k - 1];
			else if (k + 1 == r.cols ||
			    draw_range(&c->dice, 0, 7) == 0)
				r.v[k] = mean;
			else
				r.v[k] = mean +
				    step * (float)draw_range(&c->dice, 0, most);
	}
}

enum change {
	AS_DRAWN,
	NEGATIVE,
	BUT_ONE,
	WITH_ZEROS,
	WITH_REPEATS,
	WITH_MEAN
};
#define CHANGES_TRIED 4 /* from BUT_ONE on */

/* A launch of these values, or of such that are changed.  true: it comes to that outcome, or to no end.  Where its output is wrong,
 * trial_fail_case() was called. */
static bool
is_taken_by(struct trial *t, struct cover *c, const struct op_case *values,
    enum change change, uint32_t counter)
{
	struct trial_case own = { .group = TRIAL_SOUGHT, .c = values };
	struct cover_run run = { .tc = &own,
		.budget = PLAIN_BUDGET,
		.stage = LAB_STAGE_COVERAGE,
		.whole = true };
	const uint32_t *counters;
	struct trial_outcome o = { .class = NULL };
	uint8_t seed[SEED_BYTES];
	bool ended;

	memcpy(seed, t->seed.seed, sizeof seed);
	seed[0] ^= (uint8_t)draw_bits(&c->dice);
	own.in = op_instance_new(t->rq->op, values, seed);
	own.geometry_err = geometry_eval(t->rq->op, &own.in->shape,
	    t->rq->candidate, &own.geometry, &own.geometry_why);
	if (change == BUT_ONE)
		plant_odd_ones(c, own.in);
	else if (change == NEGATIVE)
		make_negative(own.in);
	else if (change == WITH_MEAN)
		put_about_mean(c, own.in);
	else if (change != AS_DRAWN)
		thin_out(c, own.in, change == WITH_ZEROS);
	ended = own.geometry_err == ERR_OK &&
	    cover_judge_alone(t, c, &run, &o, &counters);
	if (o.class && o.verdict != LAB_ERROR)
		trial_fail_case(t, &own, &o);
	op_instance_free(own.in);
	return !ended || counters[counter] != 0;
}

static struct op_case
values_of(const struct trial_case *tc)
{
	return (struct op_case){ .name = "sought",
		.dtype = tc->c->dtype,
		.position_max = tc->c->position_max,
		.shape = tc->in->shape };
}

/* More such rows, so that what is rare comes up. */
static bool
add_rows(const struct trial_case *tc, struct op_shape *s)
{
	uint32_t more = MORE_ELEMENTS / ((uint32_t)trial_elements(tc->in) + 1);

	s->rows *= more;
	s->m *= more;
	s->seq *= more;
	return more > 1;
}

bool
plain_takes(struct trial *t, struct cover *c, const struct trial_case *tc,
    uint32_t counter)
{
	struct op_case own = values_of(tc);
	size_t n = count_plain(own.dtype);

	for (size_t i = 0; i < 2 * (n + BELOW); i++) {
		size_t k = i % (n + BELOW);

		if (i == n + BELOW && !add_rows(tc, &own.shape))
			break;
		own.data = plain[k < n ? k : k - n];
		if (is_taken_by(t, c, &own, k < n ? AS_DRAWN : NEGATIVE,
		        counter))
			return true;
	}
	return false;
}

/* In a short row one may be all that it takes to make the others follow a
 * pattern. */
bool
plain_takes_but_one(struct trial *t, struct cover *c,
    const struct trial_case *tc, uint32_t counter)
{
	struct op_case own = values_of(tc);
	enum change change = BUT_ONE;
	bool is = false;

	for (unsigned i = 0; i < ONES_TRIED && !is; i++) {
		change = (enum change)(BUT_ONE + i / 2 % CHANGES_TRIED);
		own.shape = i % 2 ? landmark_shape(t->rq->op, SQUARE, SQUARE)
		                  : tc->in->shape;
		is = is_taken_by(t, c, &own, change, counter);
	}
	own.shape = landmark_shape(t->rq->op, 1, LONG_ROW_OF_ALL);
	if (is)
		(void)is_taken_by(t, c, &own, change, counter);
	return is;
}
