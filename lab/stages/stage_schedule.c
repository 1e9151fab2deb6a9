/*
 * S8, schedule independence: the cases in the lab's own machine, work items
 * backwards or shuffled between any two barriers, and taking turns before
 * atomics; groups backwards.
 *
 * PoCL runs a group's items one after the other, so that what one reads of
 * another is there if that one came before: a missing barrier is hidden.  The
 * machine changes the order and sees each access besides, so that a race is
 * named with its line whatever came out.  It runs the IR that clang made, not
 * the device's code: an order that PoCL compiles wrongly convicts nobody, and
 * no macro of a candidate's can tell which order it is.  Values are judged by
 * their error bounds again: another order may round differently and be right.
 *
 * Small launches are run whole, of large ones some groups with their
 * neighbours; which groups matter for conditions, the stage coverage seeks.
 */
#include "lab/stages/coverage_count.h"
#include <stdio.h>

#define BUDGET         ((uint64_t)800000)
#define ARRAY_EVERY    7
#define ARRAY_MAX      12
#define ARRAY_ELEMENTS 3000
#define ATOMIC_ROUNDS  6
#define WIDE_COLUMNS   4096
#define WIDE_MAX       2

/* Of the covering array, in a storage type. */
struct chosen {
	unsigned nsmall, nwide;
};

/* Long rows of which no two begin alike: a vector that takes more than an
 * element's alignment shows there, and behind a condition on the size. */
static bool
is_wide_and_odd(const struct trial_case *tc)
{
	bool odd = false, wide = false;

	for (size_t i = 0; i < tc->in->op->nargs; i++)
		if (tc->in->op->args[i].kind == OP_IN) {
			struct op_extent e =
			    tc->in->op->extent(&tc->in->shape, i);

			odd |= e.stride % 2 != 0 && e.rows > 1;
			wide |= e.cols >= WIDE_COLUMNS;
		}
	return odd && wide;
}

/* Of the covering array some small ones, for their values, and a few of long
 * rows, for their addresses. */
static bool
is_chosen(const struct trial_case *tc, size_t i, struct chosen *n)
{
	if (tc->group == TRIAL_SIMULATED || tc->group == TRIAL_SOUGHT ||
	    tc->relation || tc->geometry_err != ERR_OK)
		return false;
	if (tc->group != TRIAL_ARRAY)
		return true;
	if (trial_elements(tc->in) > ARRAY_ELEMENTS)
		return is_wide_and_odd(tc) && n->nwide++ < WIDE_MAX;
	return i % ARRAY_EVERY == 0 && n->nsmall++ < ARRAY_MAX;
}

/* Adds the chosen cases of a type, up to so many elements each. */
static void
plan_cases(struct trial *t, struct cover *c, enum dtype d, uint64_t elements)
{
	struct chosen n = { 0 };

	for (size_t i = 0; i < t->ncases; i++) {
		const struct cover_run run = { .tc = &t->cases[i],
			.budget = BUDGET,
			.stage = LAB_STAGE_SCHEDULE };

		if (run.tc->c->dtype != d || !is_chosen(run.tc, i, &n) ||
		    trial_elements(run.tc->in) > elements)
			continue;
		cover_add(c, &run);
		/* What these take need not be sought. */
		seek_know(cover_seek(c), &run.tc->in->shape);
	}
}

void
stage_schedule_plan(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct cover *c = t->covers[d];

		if (!c)
			continue;
		plan_cases(t, c, (enum dtype)d, UINT64_MAX);
		/* Between atomics there are many orders. */
		for (int i = 0; i < ATOMIC_ROUNDS && cover_has_atomics(c); i++)
			plan_cases(t, c, (enum dtype)d, ARRAY_ELEMENTS);
	}
}

/* With what the stage coverage wants to know: the child is asked once. */
void
stage_schedule_start(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (t->covers[d] && !cover_send(t, t->covers[d]))
			return;
}

bool
stage_schedule(struct trial *t)
{
	unsigned judged = 0, ended = 0;

	if (!t->lab->clang)
		return trial_skip(t, "clang is not installed");
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		if (!t->covers[d])
			continue;
		if (!cover_judge(t, t->covers[d], LAB_STAGE_SCHEDULE))
			return false;
		cover_account(t->covers[d], &judged, &ended);
	}
	snprintf(t->note, sizeof t->note,
	    "%u launches, %u of them to their end", judged, ended);
	return true;
}
