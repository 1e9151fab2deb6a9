/*
 * A launch is plain if its rows are long and its values as they are drawn, of
 * no class that makes them alike, whole or not finite.  What no such launch
 * takes, and one of rows that are made for it does, is looked at:
 *
 *	do values choose	the same shape with plain values does not take it
 *	is it for speed		with the other outcome given instead the launch
 *				comes out right
 *
 * A guard against an overflow or a NaN is none of these: plain values take it,
 * or such but for a few, or no finite ones, or it would be wrong without it.
 */
#include "lab/stages/coverage_shortcuts.h"

#include "lab/run/geometry.h"
#include "lab/stages/coverage_count_priv.h"
#include "lab/stages/coverage_landmarks.h"
#include "lab/stages/coverage_patterns.h"
#include "lab/stages/coverage_plain.h"
#include "lab/stages/trial_run.h"
#include "ops/row_patterns.h"
#include <math.h>

#define MADE_ROWS         16
#define MADE_COLS         66
#define MADE_POSITION_MAX 4096
#define WORK_MAX          ((uint64_t)600000000) /* instructions, a program */

/* What the lab makes for it. */
enum made {
	MADE_PATTERNS,
	MADE_POSITIVE, /* patterns, above 1 */
	MADE_LEVEL,    /* one number everywhere */
	MADE_REPEATS,  /* one row again and again */
	MADE_N
};
struct made_case {
	struct op_case c;
	struct trial_case tc; /* in: owned */
};

void
shortcuts_note(struct cover *c, const struct trial_case *tc,
    const uint32_t *counters)
{
	if (tc->relation || !plain_is(tc) || !plain_is_long(tc->in))
		return;
	for (size_t i = 0; i < c->program->ncounters; i++)
		c->taken[i].plainly |= counters[i] > 0;
}

/* What a case took that was made for it.  A row of one number is one that honest
 * kernels ask for, by its variance or its ends. */
static void
note_made(struct cover *c, enum made kind, const uint32_t *counters)
{
	for (size_t i = 0; i < c->program->npoints; i++) {
		const struct prog_point *p = &c->program->points[i];
		const struct prog_instr *instr =
		    &c->program->functions[p->function].code[p->instr];

		for (uint32_t o = p->first; o < p->first + p->outcomes; o++)
			if (counters[o] > 0 &&
			    (kind != MADE_LEVEL || instr->op != PROG_FCMP))
				c->taken[o].made |= 1U << kind;
	}
}

/* Is the launch right with other outcomes? */
static bool
does_with(struct trial *t, struct cover *c, const struct trial_case *tc,
    const struct prog_given *given, uint32_t n)
{
	struct cover_run run = { .tc = tc,
		.budget = PLAIN_BUDGET,
		.stage = LAB_STAGE_COVERAGE,
		.whole = true,
		.given = given,
		.ngiven = n };
	const uint32_t *counters;
	struct trial_outcome o;

	return cover_judge_alone(t, c, &run, &o, &counters) && !o.class;
}

/* Can a run be given an outcome of it?  A loop's number of rounds, and that a
 * mask be something, can't be. */
static bool
can_give(const struct cover *c, const struct prog_point *p, uint32_t outcome)
{
	const struct prog_instr *i =
	    &c->program->functions[p->function].code[p->instr];

	if (p->kind == PROG_POINT_COMBINED || p->kind == PROG_POINT_BITS ||
	    p->kind == PROG_POINT_QUOTIENT)
		return i->combined != 0 &&
		    (outcome == 0 ||
		        c->program->combined[i->combined - 1].n > 0);
	return p->kind != PROG_POINT_LOOP;
}

/* A plain launch's outcome, which a run can be given; else p->outcomes. */
static uint32_t
find_plain(const struct cover *c, const struct prog_point *p)
{
	uint32_t o = 0;

	while (o < p->outcomes &&
	    !(c->taken[p->first + o].plainly && can_give(c, p, o)))
		o++;
	return o;
}

/* Does a case take it though neither plain values do nor such but for a few? */
static bool
is_doubtful(struct trial *t, struct cover *c, const struct made_case *made,
    uint32_t counter)
{
	const struct taken *k = &c->taken[counter];

	for (uint32_t i = 0; i < MADE_N && !k->plainly; i++)
		if ((k->made >> i & 1) &&
		    !plain_takes(t, c, &made[i].tc, counter))
			return !plain_takes_but_one(t, c, &made[i].tc, counter);
	return false;
}

/* What may be a shortcut, and what plain launches come to in its place. */
struct doubts {
	struct prog_given plain[PROG_GIVEN_MAX];
	uint32_t counter[PROG_GIVEN_MAX];
	uint32_t n;
};

static void
doubt(struct trial *t, struct cover *c, const struct made_case *made,
    uint32_t point, struct doubts *ret)
{
	const struct prog_point *p = &c->program->points[point];
	uint32_t plain = find_plain(c, p);

	for (uint32_t o = 0; o < p->outcomes && plain < p->outcomes; o++) {
		if (ret->n == PROG_GIVEN_MAX ||
		    !is_doubtful(t, c, made, p->first + o))
			continue;
		ret->counter[ret->n] = p->first + o;
		ret->plain[ret->n++] = (struct prog_given){ point, plain };
	}
}

/* Is each launch that takes it right with other outcomes? */
static bool
do_without(struct trial *t, struct cover *c, const struct made_case *made,
    uint32_t counter, const struct prog_given *given, uint32_t n)
{
	for (uint32_t i = 0; i < MADE_N; i++)
		if ((c->taken[counter].made >> i & 1) &&
		    !does_with(t, c, &made[i].tc, given, n))
			return false;
	return true;
}

/* Each by itself, and all at once: a way that is wrong for such rows on purpose
 * asks for them again. */
static void
settle(struct trial *t, struct cover *c, const struct made_case *made,
    const struct doubts *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		c->taken[d->counter[i]].is_shortcut =
		    do_without(t, c, made, d->counter[i], &d->plain[i], 1) ||
		    (d->n > 1 &&
		        do_without(t, c, made, d->counter[i], d->plain, d->n));
}

/* Each row is the first one. */
static void
repeat_rows(struct op_instance *in)
{
	struct op_row r = { .v = NULL };

	while (op_next_row(in, &r))
		if (r.row > 0)
			memcpy(r.v, r.v - r.cols, r.cols * sizeof *r.v);
}

/* By as much in a row, so that its pattern stays. */
static void
make_positive(struct op_instance *in)
{
	struct op_row r = { .v = NULL };

	while (op_next_row(in, &r)) {
		float least = 0.0f;

		for (uint32_t k = 0; k < r.cols; k++)
			least = fminf(least, r.v[k]);
		for (uint32_t k = 0; k < r.cols; k++)
			r.v[k] =
			    dtype_round(in->c->dtype, r.v[k] - least + 1.0f);
	}
}

/* What a level has made infinite in 16 bits is an ordinary number. */
static void
make_finite(struct op_instance *in)
{
	struct op_row r = { .v = NULL };

	while (op_next_row(in, &r))
		for (uint32_t k = 0; k < r.cols; k++)
			if (!isfinite(r.v[k]))
				r.v[k] = 2.0f;
}

/* Is there an outcome that no plain launch takes, beside one that it does? */
static bool
is_worth_a_look(const struct cover *c)
{
	for (size_t i = 0; i < c->program->npoints; i++) {
		const struct prog_point *p = &c->program->points[i];
		uint32_t plainly = 0;

		for (uint32_t o = 0; o < p->outcomes; o++)
			plainly += c->taken[p->first + o].plainly;
		for (uint32_t o = 0; o < p->outcomes && plainly > 0; o++)
			if (!c->taken[p->first + o].plainly &&
			    cover_count(c, i, o) > 0)
				return true;
	}
	return false;
}

/* A case of this cover's own, judged. */
static void
make_case(struct trial *t, struct cover *c, enum made kind, struct made_case *m)
{
	struct cover_run run = { .tc = &m->tc,
		.budget = PLAIN_BUDGET,
		.stage = LAB_STAGE_COVERAGE,
		.whole = true };
	struct trial_outcome o;
	const uint32_t *counters;

	m->c = (struct op_case){ .name = "sought",
		.dtype = c->dtype,
		.data = OP_DATA_NORMAL,
		.position_max = MADE_POSITION_MAX,
		.shape = landmark_shape(t->rq->op,
		    kind <= MADE_POSITIVE ? ROW_NPATTERNS : MADE_ROWS,
		    MADE_COLS) };
	m->tc = (struct trial_case){ .group = TRIAL_SOUGHT, .c = &m->c };
	m->tc.in = op_instance_new(t->rq->op, &m->c, t->seed.seed);
	if (kind == MADE_REPEATS)
		repeat_rows(m->tc.in);
	else
		coverage_patterns_fill(c, m->tc.in, kind == MADE_LEVEL,
		    &c->dice);
	make_finite(m->tc.in);
	if (kind == MADE_POSITIVE)
		make_positive(m->tc.in);
	make_finite(m->tc.in);
	m->tc.geometry_err = geometry_eval(t->rq->op, &m->tc.in->shape,
	    t->rq->candidate, &m->tc.geometry, &m->tc.geometry_why);
	if (m->tc.geometry_err != ERR_OK)
		return;
	if (cover_judge_alone(t, c, &run, &o, &counters) && !o.class)
		note_made(c, kind, counters);
	if (o.class && o.verdict != LAB_ERROR)
		trial_fail_case(t, &m->tc, &o);
}

bool
shortcuts_look(struct trial *t, struct cover *c)
{
	struct made_case made[MADE_N] = { { .c = { .name = NULL } } };
	uint64_t before = c->instructions;
	struct doubts doubts = { .n = 0 };

	if (!is_worth_a_look(c))
		return true;
	for (int k = 0; k < MADE_N; k++)
		make_case(t, c, (enum made)k, &made[k]);
	for (uint32_t i = 0;
	     i < c->program->npoints && c->instructions < before + WORK_MAX;
	     i++)
		doubt(t, c, made, i, &doubts);
	settle(t, c, made, &doubts);
	for (int k = 0; k < MADE_N; k++)
		op_instance_free(made[k].tc.in);
	return t->r->class[0] == '\0';
}

bool
shortcuts_is(const struct cover *c, size_t point, uint32_t outcome)
{
	return c->taken[c->program->points[point].first + outcome].is_shortcut;
}
