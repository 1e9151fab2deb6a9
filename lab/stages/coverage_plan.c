/*
 * The launches that are planned before the builds: shapes for what the others
 * leave out, each with plain numbers, which the machine runs too, and with all
 * classes of values; values from the program's constants, and every value that
 * a storage type has.
 */
#include "lab/stages/coverage_plan.h"

#include "lab/run/geometry.h"
#include "lab/stages/coverage_landmarks.h"
#include "lab/stages/coverage_long.h"
#include "lab/stages/coverage_patterns.h"
#include "lab/stages/coverage_roots.h"
#include "lab/stages/coverage_strays.h"
#include "lab/stages/coverage_vast.h"
#include "lab/stages/header_choices.h"
#include "ops/value_classes.h"
#include <math.h>
#include <string.h>

#define SHAPES_AT_ONCE  8
#define PAIRS_MAX       12
#define MIXED_MAX       8
#define MIXED_TURNS     3
#define MIXED_TURNS_FEW 8 /* where elements are few */
#define MIXED_FEW       9
#define BUDGET_ERRING   ((uint64_t)1500000)
#define ERRING_MAX      16 /* a storage type; of them named cases: */
#define ERRING_NAMED    6
#define ERRING_ELEMENTS 3000
#define CONSTANTS_TRIED 32
#define NUMBERS_TRIED   12
#define WHOLE_LENGTH    1000
#define CUTS_TRIED      8
#define ZERO_ROWS       36 /* more than a tile of 32 */
#define ZERO_COLS       40
#define ZERO_NOT        3 /* rows that are none */
#define EDGES_TRIED     12
#define SPECIAL_ROWS    17 /* two with a NaN, two with an infinity, ... */
#define SPECIAL_ROUNDS  4
#define SPECIAL_AMONG   24 /* rows behind them, among values of any kind */
#define VALUE_ROWS      64 /* a row for each 1,024 values of 16 bits */
#define VALUE_COLS      1024
#define COUNT_ROWS      24 /* behind them */
/* A row's number as the upper byte of sixteen bits: a sign and an exponent, or
 * all of it but a bit; and what is drawn beside it. */
#define EXPONENTS_AT     8
#define EXPONENTS_BESIDE 0xffU

/* Every class of values in each input from a first one on, in an order of its
 * own, so that classes of two inputs meet as they do nowhere else. */
static void
mix_all(const struct trial *t, size_t first, struct op_mix *ret)
{
	static const uint8_t steps[] = { 7, 11, 3, 13 }; /* coprime with 20 */

	*ret = (struct op_mix){ 0 };
	for (size_t i = 0; i < t->rq->op->nargs; i++) {
		size_t from = t->seed.seed[i % sizeof t->seed.seed] + first;

		if (t->rq->op->args[i].kind != OP_IN)
			continue;
		ret->nslots[i] = VALUES_NCLASSES;
		for (size_t slot = 0; slot < VALUES_NCLASSES; slot++)
			ret->values[i][slot] = (uint8_t)((from + slot) *
			    steps[i % COUNT(steps)] % VALUES_NCLASSES);
	}
}

/* How many classes of values an input can have at once. */
static size_t
count_slots(const struct op *op, const struct op_shape *s)
{
	size_t most = 1;

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN) {
			struct op_extent e = op->extent(s, i);
			size_t n = op->is_elementwise ? (size_t)e.rows * e.cols
			                              : e.rows;

			most = n > most ? n : most;
		}
	return most;
}

/* The same way once more, on the device, with values of all classes, rows
 * apart: who is right on it with plain numbers may lose NaNs there.  Few rows
 * are launched again, with other classes; and with parameters of both ends. */
static void
try_mixed(struct trial *t, struct cover *c, const struct op_shape *sought,
    enum dtype d)
{
	struct op_shape shape = *sought;
	size_t slots, turns, least, n = 0;
	struct op_mix mix;

	seek_loosen(cover_seek(c), &shape);
	slots = count_slots(t->rq->op, &shape);
	turns = slots < MIXED_FEW ? MIXED_TURNS_FEW : MIXED_TURNS;
	least = seek_has_parameters(cover_seek(c)) ? 2 : 1;
	for (size_t at = 0; (at < VALUES_NCLASSES && n < turns) || n < least;
	     at += slots, n++) {
		seek_end_parameters(cover_seek(c), n % 2 == 0, &shape);
		mix_all(t, at, &mix);
		trial_seek_mixed(t, &shape, d, &mix);
	}
	seek_know_mixed(cover_seek(c), &shape, true);
}

/* tc, near: may be NULL. */
static void
add_sought(struct cover *c, const struct trial_case *tc,
    const struct seek_shape *near)
{
	const struct cover_run run = { .tc = tc,
		.near = near,
		.budget = COVERAGE_SOUGHT,
		.stage = LAB_STAGE_COVERAGE,
		.is_machines = tc && tc->is_machines };

	if (tc)
		cover_add(c, &run);
}

/* Plain numbers, or of a long sum as often small whole ones: these sum up
 * exactly, and a term that is lost has no bound to hide in. */
static struct trial_case *
seek_plain(struct trial *t, const struct op_shape *shape, enum dtype d)
{
	const struct op *op = t->rq->op;
	bool is_whole = op->nexact > 0 && op->sums &&
	    op->sums->length(shape) >= WHOLE_LENGTH && t->nsought % 2 == 0;
	struct trial_case *tc;

	tc = trial_seek(t, shape, d,
	    is_whole ? OP_DATA_INTEGER : OP_DATA_NORMAL);
	if (tc)
		tc->is_plain = true;
	return tc;
}

static void
seek_shapes_for(struct trial *t, struct cover *c, enum dtype d)
{
	struct seek_shape shapes[SHAPES_AT_ONCE];
	size_t n;

	n = seek_shapes(cover_seek(c), shapes, SHAPES_AT_ONCE);
	for (size_t i = 0; i < n; i++) {
		const struct op_shape found = shapes[i].shape;
		struct trial_case *tc;

		seek_end_parameters(cover_seek(c), true, &shapes[i].shape);
		tc = seek_plain(t, &shapes[i].shape, d);
		add_sought(c, tc, &shapes[i]);
		if (tc && !tc->is_machines)
			seek_know_launched(cover_seek(c), &found);
		try_mixed(t, c, &shapes[i].shape, d);
	}
}

/* Two outcomes at once, where none of the launches that there are has them. */
static void
seek_pairs_for(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shapes[PAIRS_MAX];
	size_t n;

	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].c->dtype == d &&
		    t->cases[i].group != TRIAL_SIMULATED &&
		    t->cases[i].geometry_err == ERR_OK)
			seek_know_pairs(cover_seek(c), &t->cases[i].in->shape);
	n = seek_pairs(cover_seek(c), shapes, PAIRS_MAX);
	for (size_t i = 0; i < n; i++) {
		add_sought(c, seek_plain(t, &shapes[i], d), NULL);
		try_mixed(t, c, &shapes[i], d);
	}
}

/* What sizes decide and some case takes already, but none with all classes of
 * values. */
static void
seek_mixed_for(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shapes[MIXED_MAX];
	size_t n;

	/* What the array draws for a parameter is ordinary more often than
	 * not. */
	for (size_t i = 0; i < t->ncases && !seek_has_parameters(cover_seek(c));
	     i++) {
		const struct trial_case *tc = &t->cases[i];

		if (tc->c->dtype == d && tc->c->mix &&
		    tc->group == TRIAL_ARRAY && tc->geometry_err == ERR_OK &&
		    count_slots(t->rq->op, &tc->in->shape) >= VALUES_NCLASSES)
			seek_know_mixed(cover_seek(c), &tc->in->shape, false);
	}
	n = seek_mixed(cover_seek(c), shapes, MIXED_MAX);
	for (size_t i = 0; i < n; i++)
		try_mixed(t, c, &shapes[i], d);
}

/* Where a table or a curve of sizes is out of the ordinary. */
static void
seek_numbers_for(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shapes[NUMBERS_TRIED];
	size_t n = seek_numbers(cover_seek(c), shapes, NUMBERS_TRIED);

	for (size_t i = 0; i < n; i++)
		(void)seek_plain(t, &shapes[i], d);
}

/* Beyond what a number is cut to. */
static void
seek_beyond_cuts_for(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shapes[CUTS_TRIED];
	size_t n = seek_beyond_cuts(cover_seek(c), shapes, CUTS_TRIED);

	for (size_t i = 0; i < n; i++)
		(void)seek_plain(t, &shapes[i], d);
}

/* Where a way ends: in the machine too, which sees each array's end. */
static void
seek_edges_for(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shapes[EDGES_TRIED];
	size_t n = seek_edges(cover_seek(c), shapes, EDGES_TRIED);

	for (size_t i = 0; i < n; i++) {
		struct trial_case *tc = seek_plain(t, &shapes[i], d);

		if (tc)
			coverage_plant_peaks(t, tc);
		add_sought(c, tc, NULL);
	}
}

/* Does a device launch a case that has the same value there? */
static bool
is_launched_at(const struct trial *t, const struct op_shape *shape, size_t arg)
{
	const struct op_arg *a = &t->rq->op->args[arg];

	for (size_t i = 0; i < t->ncases; i++) {
		const struct op_shape *other = &t->cases[i].in->shape;
		const char *field = (const char *)shape + a->offset;

		if (t->cases[i].group != TRIAL_SIMULATED &&
		    t->cases[i].geometry_err == ERR_OK &&
		    !geometry_is_empty(&t->cases[i].geometry) &&
		    memcmp(field, (const char *)other + a->offset,
		        sizeof(uint32_t)) == 0)
			return true;
	}
	return false;
}

/* Each constant once as a size, on the device: the machine has nothing to count
 * that a smaller shape would not show. */
static void
try_constants(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shape;
	size_t at = 0, arg, n = 0;

	while (n < CONSTANTS_TRIED &&
	    seek_of_constant(cover_seek(c), &at, &shape, &arg))
		if (!is_launched_at(t, &shape, arg) &&
		    trial_seek(t, &shape, d, OP_DATA_NORMAL))
			n++;
}

/* Values from the program's constants. */
void
coverage_plant(struct trial *t, struct cover *c, enum dtype d, uint32_t round,
    bool is_machines)
{
	struct op_shape shape = t->cases[0].in->shape;
	struct trial_case *tc;
	struct cover_run run = { .budget = COVERAGE_SOUGHT,
		.stage = LAB_STAGE_COVERAGE,
		.is_machines = is_machines,
		.whole = true };

	/* The smoke case of an operator with positions has one of them. */
	shape.seq = 9;
	if (!seek_can_plant(cover_seek(c)))
		return;
	tc = trial_seek(t, &shape, d, OP_DATA_NORMAL);
	if (!tc)
		return;
	seek_plant(cover_seek(c), tc->in, round);
	run.tc = tc;
	cover_add(c, &run);
}

/* The number that has these upper bits of a storage type, the lower ones drawn,
 * or as often zero, as they are in small whole numbers; a NaN is any. */
static float
number_of(enum dtype d, uint32_t bits, uint32_t lower)
{
	uint16_t half = (uint16_t)bits;
	uint32_t whole = bits << 16 | (lower >> 31 ? lower & 0xffff : 0);
	float v;

	if (d == DTYPE_F32)
		memcpy(&v, &whole, sizeof v);
	else
		v = dtype_load(d, &half, 0);
	return isnan(v) ? NAN : v;
}

/* Every value of 16 bits in each input of an elementwise operator, one input
 * in some rows and the next below, and of a float32 its upper half: a table of
 * exponents or of bits is right but for one entry.  Else a row of each
 * exponent, of 16 bits with each value. */
static void
fill_all_values(struct op_instance *in, struct draw *dice)
{
	const struct op *op = in->op;
	uint32_t nth = 0;

	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;

		if (!in->in[i])
			continue;
		e = op->extent(&in->shape, i);
		for (uint32_t k = 0; k < e.rows * e.cols; k++) {
			uint32_t row = k / e.cols, lower;

			lower = (uint32_t)draw_bits(dice);
			if (op->is_elementwise && row / VALUE_ROWS == nth)
				in->in[i][k] = number_of(in->c->dtype,
				    k % (VALUE_ROWS * VALUE_COLS), lower);
			else if (!op->is_elementwise && i == 0)
				in->in[i][k] = number_of(in->c->dtype,
				    (row << EXPONENTS_AT) ^
				        (in->c->dtype == DTYPE_F32
				                ? lower >> 8 & EXPONENTS_BESIDE
				                : k % e.cols &
				                    EXPONENTS_BESIDE),
				    lower);
		}
		nth++;
	}
}

/* In rows behind all values, so many NaNs or infinities that a counter of few
 * bits is back at zero. */
static void
plant_counts(struct op_instance *in, struct draw *dice)
{
	static const float what[] = { NAN, NAN, INFINITY, -INFINITY };

	for (size_t i = 0; i < in->op->nargs; i++) {
		struct op_extent e;

		if (!in->in[i] || !in->op->is_elementwise)
			continue;
		e = in->op->extent(&in->shape, i);
		for (uint32_t r = e.rows - COUNT_ROWS; r < e.rows; r++) {
			size_t n = values_count(dice, e.cols), from;

			from = draw_range(dice, 0, 1)
			    ? 0
			    : draw_range(dice, 0, e.cols - (uint32_t)n);
			for (size_t k = 0; k < n; k++)
				in->in[i][(size_t)r * e.cols + from + k] =
				    what[(r + i) % COUNT(what)];
		}
	}
}

static void
try_all_values(struct trial *t, struct cover *c, enum dtype d)
{
	struct cover_run run = { .budget = COVERAGE_SOUGHT,
		.stage = LAB_STAGE_COVERAGE,
		.whole = true };
	const struct op *op = t->rq->op;
	struct op_shape shape = op->smoke->shape;
	uint32_t inputs = 0, each = d == DTYPE_F32 ? 24 : EXPONENTS_BESIDE + 1;
	struct trial_case *tc;
	struct draw dice;

	for (size_t i = 0; i < op->nargs; i++)
		inputs += op->args[i].kind == OP_IN;
	shape.rows = shape.m =
	    op->is_elementwise ? VALUE_ROWS * inputs + COUNT_ROWS : 256;
	shape.cols = op->is_elementwise ? VALUE_COLS : each;
	shape.batch = 4;
	shape.seq = 64;
	shape.dim = shape.k = each;
	shape.n = 8;
	op_close_strides(op, &shape);
	tc = trial_seek(t, &shape, d, OP_DATA_NORMAL);
	if (!tc)
		return;
	draw_init(&dice, t->seed.seed, "all values");
	fill_all_values(tc->in, &dice);
	plant_counts(tc->in, &dice);
	/* Each entry of a table of few values is asked for. */
	run.tc = tc;
	if (cover_program(c)->ntables > 0)
		cover_add(c, &run);
}

/* Special values long before the end of a row, whatever the group's size, so
 * that whoever meets one goes on. */
static void
plant_specials(struct trial *t, struct cover *c, enum dtype d)
{
	struct op_shape shape = t->cases[0].in->shape;
	struct cover_run run = { .budget = COVERAGE_SOUGHT,
		.stage = LAB_STAGE_COVERAGE };
	struct trial_case *tc;
	uint64_t lanes;
	struct draw dice;

	if (shape.cols == 0 || t->rq->op->is_elementwise ||
	    t->cases[0].geometry_err != ERR_OK)
		return;
	lanes = geometry_group_items(&t->cases[0].geometry);
	shape.rows = SPECIAL_ROWS + SPECIAL_AMONG;
	shape.cols = (uint32_t)(lanes < 64 ? 64 : lanes) * SPECIAL_ROUNDS + 44;
	op_close_strides(t->rq->op, &shape);
	run.tc = tc = trial_seek(t, &shape, d, OP_DATA_SPECIAL);
	if (!tc)
		return;
	draw_init(&dice, t->seed.seed, "specials");
	for (uint32_t r = SPECIAL_ROWS; r < shape.rows; r++)
		values_specials(&dice, d,
		    tc->in->in[0] + (size_t)r * shape.cols, shape.cols,
		    (size_t)lanes);
	coverage_alike_weights(tc, &dice);
	cover_add(c, &run);
}

/* Rows of zeros, in one input or in all, with an eps of zero, which ordinary
 * launches have on the device alone; of a product tiles of zeros. */
static void
try_zeros(struct trial *t, struct cover *c, enum dtype d)
{
	const struct op *op = t->rq->op;
	struct op_shape shape = landmark_shape(op, ZERO_ROWS, ZERO_COLS);
	struct trial_case *tc;

	shape.eps = 0.0f;
	tc = t->cases[0].in->positions
	    ? NULL
	    : trial_seek(t, &shape, d, OP_DATA_NORMAL);
	for (size_t i = 0; tc && i < op->nargs; i++) {
		struct op_extent e;

		if (!tc->in->in[i] || op_is_weight(op, i) ||
		    (op->smoke->shape.k > 0 && i > 0))
			continue;
		e = op->extent(&tc->in->shape, i);
		for (uint32_t r = 0; r + ZERO_NOT < e.rows; r++)
			for (uint32_t k = 0; k < e.cols &&
			     (!op->is_elementwise || r % 4 >= 2 || r % 4 == i);
			     k++)
				tc->in->in[i][(size_t)r * e.cols + k] = 0.0f;
	}
	add_sought(c, tc, NULL);
}

/* The first named cases, and some of the array's from a place that the secret
 * seed draws: its values lie where bounds are tightest. */
static void
add_erring(struct trial *t, struct cover *c, enum dtype d)
{
	size_t from = t->seed.seed[0], all = t->ncases;
	unsigned n = 0, named = 0;

	for (size_t k = 0; k < 2 * all && n < ERRING_MAX; k++) {
		/* Once for the named ones, once more for the array's. */
		bool of_array = k >= all;
		size_t i = of_array ? k - all + (from < all ? from : 0) : k;
		const struct cover_run run = {
			.tc = &t->cases[i < all ? i : i - all],
			.budget = BUDGET_ERRING,
			.stage = LAB_STAGE_COVERAGE,
			.is_pessimist = true
		};

		if (of_array != (run.tc->group == TRIAL_ARRAY) ||
		    (!of_array && named == ERRING_NAMED))
			continue;
		if (run.tc->c->dtype != d || run.tc->group == TRIAL_EXACT ||
		    run.tc->group == TRIAL_SIMULATED ||
		    run.tc->group == TRIAL_SOUGHT || run.tc->relation ||
		    run.tc->geometry_err != ERR_OK ||
		    trial_elements(run.tc->in) > ERRING_ELEMENTS)
			continue;
		n++;
		named += !of_array;
		cover_add(c, &run);
	}
}

void
coverage_plan(struct trial *t, struct cover *c, enum dtype d, bool first)
{
	if (first)
		header_choices_seek(t, c, d);
	coverage_long(t, c, d, first);
	if (first)
		coverage_vast(t, c, d);
	add_erring(t, c, d);
	coverage_landmarks(t, c, d);
	coverage_roots(t, c, d);
	seek_numbers_for(t, c, d);
	seek_shapes_for(t, c, d);
	seek_pairs_for(t, c, d);
	seek_beyond_cuts_for(t, c, d);
	seek_edges_for(t, c, d);
	coverage_strays(t, c, d);
	coverage_patterns(t, c, d);
	coverage_plant(t, c, d, 0, false);
	coverage_plant(t, c, d, 3, false);
	plant_specials(t, c, d);
	try_zeros(t, c, d);
	try_all_values(t, c, d);
	seek_mixed_for(t, c, d);
	try_constants(t, c, d);
}
