/*
 * Values for which some sum of the program is zero, each with its neighbours.
 *
 * Of an elementwise operator the last input is the unknown, the others are what
 * they are.  Of a row it may be any of what rows are made into: an element, the
 * sum, the mean, the sum or the mean of squares, a softmax's denominator; so
 * there is a row in which each of these is the value.
 */
#include "lab/stages/coverage_roots.h"

#include "lab/stages/coverage_plan.h"
#include "ops/draw.h"
#include <math.h>

#define ROOTS_MAX      16
#define SETS           4 /* of other inputs' values, with a part of the roots */
#define NEIGHBOURS     64 /* on either side */
#define ROW_COLS       8
#define ROW_SIDES      4 /* neighbours on either side */
#define PARAMETER_ROWS 9
#define LEAST_BASE     1.01

enum form {
	FORM_FIRST,     /* alone: the sum */
	FORM_ALL,       /* all alike: the mean */
	FORM_ROOT,      /* alone: the sum of squares */
	FORM_ROOTS,     /* all alike: the mean of squares */
	FORM_EXPONENTS, /* the denominator */
	FORM_APART,     /* the mean of what is not alike */
	NFORMS
};

/* By a few last bits of the storage type. */
static float
beside(double v, int by, enum dtype d)
{
	static const int bits[DTYPE_NDTYPES] = {
		[DTYPE_F32] = 23,
		[DTYPE_F16] = 10,
		[DTYPE_BF16] = 7,
	};

	return dtype_round(d, (float)(v * (1.0 + ldexp(by, -bits[d]))));
}

/* In the machine too, where a product and a sum are rounded apart now and then
 * and together now and then. */
static void
launch(struct cover *c, const struct trial_case *tc)
{
	struct cover_run run = { .tc = tc,
		.budget = COVERAGE_SOUGHT,
		.stage = LAB_STAGE_COVERAGE };

	if (!tc)
		return;
	cover_add(c, &run);
	run.is_pessimist = true;
	cover_add(c, &run);
}

static void
try_elements(struct trial *t, struct cover *c, enum dtype d, struct draw *dice)
{
	const struct op *op = t->rq->op;
	struct op_shape s = op->smoke->shape;
	double fixed[MACHINE_ARGS_MAX], roots[SETS][ROOTS_MAX] = { 0 };
	float others[SETS][MACHINE_ARGS_MAX] = { 0 };
	size_t n[SETS] = { 0 }, last = 0, all = 0, sets = 0;
	struct trial_case *tc;

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN) {
			last = i;
			sets++;
		}
	sets = sets > 1 ? SETS : 1;
	for (size_t k = 0; k < sets; k++) {
		for (size_t i = 0; i < op->nargs; i++) {
			others[k][i] = dtype_round(d, draw_normal(dice));
			fixed[i] =
			    i == last ? (double)NAN : (double)others[k][i];
		}
		n[k] = seek_roots(cover_seek(c), &s, fixed, roots[k],
		    ROOTS_MAX / sets);
		all += n[k];
	}
	if (all == 0)
		return;
	s.rows = (uint32_t)all;
	s.cols = 2 * NEIGHBOURS + 1;
	op_close_strides(op, &s);
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (size_t k = 0, row = 0; tc && k < sets; k++)
		for (size_t i = 0; i < n[k]; i++, row++)
			for (size_t a = 0; a < op->nargs; a++)
				for (uint32_t j = 0;
				     tc->in->in[a] && j < s.cols; j++)
					tc->in->in[a][row * s.cols + j] =
					    a == last
					    ? beside(roots[k][i],
					          (int)j - NEIGHBOURS, d)
					    : others[k][a];
	launch(c, tc);
}

static void
fill_row(float *v, enum form form, double root, int by, enum dtype d)
{
	double is = form == FORM_ROOT || form == FORM_ROOTS ? sqrt(fabs(root))
	    : form == FORM_EXPONENTS && root > 1.0
	    ? log((root - 1.0) / (ROW_COLS - 1))
	    : root;
	bool alone = form == FORM_FIRST || form == FORM_ROOT;

	for (int k = 0; k < ROW_COLS; k++)
		v[k] = alone && k > 0 ? 0.0f : beside(is, by, d);
	if (form == FORM_EXPONENTS)
		v[0] = 0.0f;
	if (form == FORM_APART) {
		v[0] = dtype_round(d, v[0] + 1.0f);
		v[1] = dtype_round(d, v[1] - 1.0f);
	}
}

static void
try_rows(struct trial *t, struct cover *c, enum dtype d)
{
	const struct op *op = t->rq->op;
	struct op_shape s = op->smoke->shape;
	double fixed[MACHINE_ARGS_MAX], roots[ROOTS_MAX];
	const uint32_t each = NFORMS * (2 * ROW_SIDES + 1);
	struct trial_case *tc;
	size_t n;

	for (size_t i = 0; i < MACHINE_ARGS_MAX; i++)
		fixed[i] = (double)NAN;
	s.cols = s.k = ROW_COLS;
	s.n = 1;
	op_close_strides(op, &s);
	n = seek_roots(cover_seek(c), &s, fixed, roots, ROOTS_MAX);
	if (n == 0)
		return;
	s.rows = s.m = (uint32_t)n * each;
	tc = trial_seek(t, &s, d, OP_DATA_NORMAL);
	for (uint32_t row = 0; tc && row < s.rows; row++)
		fill_row(tc->in->in[0] + (size_t)row * ROW_COLS,
		    (enum form)(row % NFORMS), roots[row / each],
		    (int)(row % each / NFORMS) - ROW_SIDES, d);
	/* A product's other tensor: what is summed up is the row. */
	for (uint32_t k = 0; tc && s.k > 1 && op->smoke->shape.k > 0 && k < s.k;
	     k++)
		tc->in->in[1][k] = 1.0f;
	launch(c, tc);
}

/* As eps and as base: these too are known by nobody. */
static void
try_parameters(struct trial *t, struct cover *c, enum dtype d)
{
	const struct op *op = t->rq->op;
	struct op_shape s = op->smoke->shape;
	double fixed[MACHINE_ARGS_MAX], roots[ROOTS_MAX];
	bool has = false;
	size_t n;

	for (size_t i = 0; i < op->nargs; i++)
		has |= op->args[i].kind == OP_REAL;
	for (size_t i = 0; i < MACHINE_ARGS_MAX; i++)
		fixed[i] = (double)NAN;
	s.seq = PARAMETER_ROWS;
	n = has ? seek_roots(cover_seek(c), &s, fixed, roots, ROOTS_MAX) : 0;
	for (size_t i = 0; i < n; i++) {
		s.eps = s.base = (float)roots[i];
		if (roots[i] > 0.0 &&
		    (!t->cases[0].in->positions || roots[i] > LEAST_BASE))
			(void)trial_seek(t, &s, d, OP_DATA_NORMAL);
	}
}

void
coverage_roots(struct trial *t, struct cover *c, enum dtype d)
{
	struct draw dice;

	draw_init(&dice, t->seed.seed, "roots");
	try_parameters(t, c, d);
	if (t->rq->op->is_elementwise)
		try_elements(t, c, d, &dice);
	else if (!t->cases[0].in->positions)
		try_rows(t, c, d);
}
