/*
 * The ways of a header's min, max, / and %, over the shapes of all cases: first
 * what was launched is looked through, then shapes are drawn for the ways that
 * nothing took.
 */
#include "lab/stages/header_choices.h"

#include "lab/run/geometry.h"
#include <string.h>

#define TRIES 6000

/* Does a device launch the case? */
static bool
is_launched(const struct trial_case *tc)
{
	return tc->group != TRIAL_SIMULATED && tc->geometry_err == ERR_OK &&
	    !geometry_is_empty(&tc->geometry);
}

static struct expr_choices
choices_of(const struct trial *t)
{
	struct expr_choices all = { 0 }, of;

	for (size_t i = 0; i < t->ncases; i++) {
		if (!is_launched(&t->cases[i]))
			continue;
		geometry_choices(t->rq->op, &t->cases[i].in->shape,
		    t->rq->candidate, &of);
		all.first |= of.first;
		all.other |= of.other;
		all.divides |= of.divides;
		all.n = of.n > all.n ? of.n : all.n;
	}
	all.n = all.n < 64 ? all.n : 64;
	return all;
}

static uint64_t
of_way(const struct expr_choices *c, unsigned way)
{
	return way == 0 ? c->first : c->other;
}

/* The cheapest shape that goes a way. */
static bool
find(const struct trial *t, struct seek *s, uint64_t bit, unsigned way,
    struct op_shape *ret)
{
	uint64_t best = UINT64_MAX, cost;
	struct expr_choices of;
	struct op_shape shape;

	for (int i = 0; i < TRIES; i++) {
		if (!seek_any_shape(s, &shape, &cost) || cost >= best)
			continue;
		geometry_choices(t->rq->op, &shape, t->rq->candidate, &of);
		if (!(of_way(&of, way) & bit))
			continue;
		best = cost;
		*ret = shape;
	}
	return best != UINT64_MAX;
}

void
header_choices_seek(struct trial *t, struct cover *c, enum dtype d)
{
	struct expr_choices all = choices_of(t);

	for (unsigned i = 0; i < 2 * all.n; i++) {
		uint64_t bit = (uint64_t)1 << i / 2;
		struct op_shape shape;

		if ((of_way(&all, i % 2) & bit) ||
		    !find(t, cover_seek(c), bit, i % 2, &shape))
			continue;
		trial_seek(t, &shape, d, OP_DATA_NORMAL);
		all = choices_of(t);
	}
}

/* Of the comment that opens a file; 0: an answer has none. */
static uint32_t
header_line(const char *source)
{
	const char *at = strstr(source, "global:");
	uint32_t line = 1;

	for (const char *p = source; at && p < at; p++)
		line += *p == '\n';
	return at ? line : 0;
}

void
header_choices_report(struct trial *t)
{
	static const char *const phrases[] = {
		"a min or max of the launch's size is never its first",
		"a min or max of the launch's size is never its other",
		"a quotient in the launch's size is 0, a remainder never is"
	};
	struct expr_choices all = choices_of(t);
	struct lab_coverage *r = &t->r->coverage;

	for (unsigned i = 0; i < 2 * all.n; i++) {
		bool taken = (of_way(&all, i % 2) >> i / 2 & 1) != 0;
		bool divides = (all.divides >> i / 2 & 1) != 0;

		if (divides && i % 2)
			continue;
		r->branches++;
		r->taken += taken;
		if (!taken)
			lab_report_untaken(r,
			    header_line(t->rq->candidate->source),
			    phrases[divides ? 2 : i % 2],
			    (1 << DTYPE_NDTYPES) - 1);
	}
}
