/*
 * Weighs causes by what they foresee.
 *
 * A case that fails although a cause spares it, or passes although the cause
 * says that it fails, costs that cause 4; one of which it cannot tell costs 1,
 * or else a cause that says nothing would explain everything.  The cheapest
 * is named, if it explains at least seven of eight failures and three of four
 * of what it foresees has happened.
 */
#include "ops/suspect_cause.h"

#include <math.h>
#include <string.h>

#define SURPRISE  4
#define VAGUE     1
#define FEW_CASES 4 /* that many must tell two equals apart */

/* A sum or a result in the eleven bits of a half is off by 2^13 roundings of
 * a float, the most that an error bound of one rounding makes of it. */
#define SLIGHT_RATIO 1e4
#define FAR_RATIO    1e9

struct weight {
	unsigned cost;
	unsigned failed, strays;   /* strays failed and should not have */
	unsigned foreseen, spared; /* should fail, but this many did not */
	unsigned smaller;          /* passed below the measure */
};

static const struct {
	const char *class;
	enum cause_sign sign;
} by_class[] = {
	{ "unwritten", CAUSE_UNWRITTEN },
	{ "out_of_bounds", CAUSE_OUTSIDE },
};

enum cause_sign
cause_sign_of(const char *class, const struct judge_result *v)
{
	for (size_t i = 0; i < COUNT(by_class); i++)
		if (class && strcmp(class, by_class[i].class) == 0)
			return by_class[i].sign;
	if (class && strcmp(class, "wrong") != 0 &&
	    strcmp(class, "inaccurate") != 0)
		return CAUSE_OTHER;
	if (!class && v->bound_ratio <= 1.0)
		return CAUSE_PASSED;
	if (v->bound_ratio <= SLIGHT_RATIO)
		return CAUSE_SLIGHT;
	if (v->bound_ratio <= FAR_RATIO)
		return CAUSE_OFF;
	return v->bound_ratio < HUGE_VAL ? CAUSE_FAR : CAUSE_NOT_FINITE;
}

/* An empty case passes whatever is wrong. */
static bool
is_empty(const struct cause_case *c)
{
	return c->in->out.rows == 0 || c->in->out.cols == 0;
}

static uint64_t
smallest_failing(const struct op_cause *cause, const struct cause_case *cases,
    size_t n)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < n; i++) {
		uint64_t m;

		if (is_empty(&cases[i]) || cases[i].sign == CAUSE_PASSED)
			continue;
		m = cause->measure(cases[i].in);
		least = m < least ? m : least;
	}
	return least;
}

static enum cause_foresight
foresee(const struct op_cause *cause, uint64_t least,
    const struct cause_case *c)
{
	if (c->sign == CAUSE_OTHER)
		return CAUSE_SPARES;
	if (cause->measure && cause->measure(c->in) < least)
		return CAUSE_SPARES;
	return cause->foresees(c);
}

static struct weight
weigh(const struct op_cause *cause, const struct cause_case *cases, size_t n)
{
	uint64_t least = cause->measure ? smallest_failing(cause, cases, n) : 0;
	struct weight w = { 0 };

	for (size_t i = 0; i < n; i++) {
		bool failed = cases[i].sign != CAUSE_PASSED;
		enum cause_foresight f;

		if (is_empty(&cases[i]))
			continue;
		f = foresee(cause, least, &cases[i]);
		w.failed += failed;
		w.strays += failed && f == CAUSE_SPARES;
		w.foreseen += f == CAUSE_FAILS;
		w.spared += !failed && f == CAUSE_FAILS;
		w.smaller += !failed && f == CAUSE_SPARES;
		w.cost += f == CAUSE_MAY_FAIL ? VAGUE : 0;
	}
	w.cost += SURPRISE * (w.strays + w.spared);
	return w;
}

static bool
fits(const struct op_cause *cause, const struct weight *w)
{
	return w->strays * 8 <= w->failed && w->spared * 4 <= w->foreseen &&
	    (!cause->measure || w->smaller > 0);
}

struct choice {
	const struct op_cause *best;
	unsigned cost;
	bool has_equal; /* another text that fits alike */
};

static void
choose(const struct op_cause *causes, size_t ncauses,
    const struct cause_case *cases, size_t n, struct choice *ret)
{
	for (size_t i = 0; i < ncauses; i++) {
		struct weight w = weigh(&causes[i], cases, n);

		if (!fits(&causes[i], &w) || (ret->best && w.cost > ret->cost))
			continue;
		if (ret->best && w.cost == ret->cost) {
			ret->has_equal |=
			    strcmp(causes[i].text, ret->best->text) != 0;
			continue;
		}
		*ret = (struct choice){ &causes[i], w.cost, false };
	}
}

const char *
cause_find(const struct cause_case *cases, size_t n)
{
	struct choice c = { 0 };
	size_t judged = 0, failed = 0;

	for (size_t i = 0; i < n; i++) {
		judged += !is_empty(&cases[i]);
		failed += !is_empty(&cases[i]) && cases[i].sign != CAUSE_PASSED;
	}
	if (judged < 2 || failed == 0)
		return NULL;
	choose(cases[0].in->op->causes, cases[0].in->op->ncauses, cases, n, &c);
	choose(causes_shared, ncauses_shared, cases, n, &c);
	if (!c.best || (c.has_equal && judged < FEW_CASES))
		return NULL;
	return c.best->text;
}
