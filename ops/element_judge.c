/*
 * An element is right when it is within its bound of the formula's value, or
 * when it is one of the other answers that its operator names there.
 */
#include "ops/element_judge.h"

#include "base/mem.h"
#include <math.h>
#include <stdlib.h>

#define TINY             0x1p-126
#define INACCURATE_RATIO 64.0

void
judge_want_init(struct judge_want *w, const struct op_instance *in)
{
	size_t n = (size_t)in->out.rows * in->out.cols;

	*w = (struct judge_want){ .t = in->c->dtype,
		.keeps_zero_sign = in->op->keeps_zero_sign,
		.flush_frees_zero_sign = in->op->flush_frees_zero_sign,
		.n = n,
		.y = xcalloc(n + 1, sizeof *w->y),
		.bound = xcalloc(n + 1, sizeof *w->bound) };
	in->op->reference(in, w->y, w->bound);
	if (!in->op->outcomes)
		return;
	w->may = xcalloc(n + 1, sizeof *w->may);
	w->other = xcalloc(n + 1, sizeof *w->other);
	in->op->outcomes(in, w->may, w->other);
}

void
judge_want_done(struct judge_want *w)
{
	free(w->y);
	free(w->bound);
	free(w->may);
	free(w->other);
	*w = (struct judge_want){ 0 };
}

/* How far one element is off, in units of what it may be off. */
static double
element_ratio(enum dtype t, double got, double y, double bound)
{
	double limit = dtype_overflow(t);

	if (isnan(y) || isnan(got))
		return isnan(y) && isnan(got) ? 0.0 : HUGE_VAL;
	if (isinf(got) && isinf(y))
		return got == y ? 0.0 : HUGE_VAL;
	if (isinf(got)) /* may y be as far off as that, to this side? */
		return (got > 0.0 ? y : -y) + bound < limit ? HUGE_VAL : 0.0;
	if (isinf(y) || fabs(y) - bound >= limit)
		return HUGE_VAL;
	return fabs(got - y) /
	    (bound + dtype_half_ulp(t, fabs(y) + bound) + TINY);
}

/* Is it one of the other right answers? */
static bool
is_allowed(const struct judge_want *w, size_t i, double got)
{
	double other = w->other[i];

	if (isnan(got))
		return (w->may[i] & OP_MAY_BE_NAN) != 0;
	if (isinf(got))
		return (w->may[i] &
		           (got > 0 ? OP_MAY_BE_INF : OP_MAY_BE_NEG_INF)) != 0;
	if ((w->may[i] & OP_MAY_BE_ZERO) != 0 && got == 0.0)
		return true;
	return (w->may[i] & OP_MAY_BE_OTHER) != 0 &&
	    fabs(got - other) <= dtype_half_ulp(w->t, other) + TINY;
}

static double
judge_element(const struct judge_want *w, size_t i, double got)
{
	double ratio = element_ratio(w->t, got, w->y[i], w->bound[i]);

	if (!(ratio <= 1.0) && w->may && w->may[i] != 0 &&
	    is_allowed(w, i, got))
		ratio = 0.0;
	/* A result that is not zero came out as one: its sign is the flushed
	 * terms' where these were added. */
	if (w->flush_frees_zero_sign && w->y[i] != 0.0)
		return ratio;
	if (w->keeps_zero_sign && got == 0.0 && !isnan(w->y[i]) &&
	    signbit(got) != signbit(w->y[i]))
		ratio = HUGE_VAL;
	return ratio;
}

static enum judge_band
band_of(double ratio)
{
	static const double ends[] = { [JUDGE_EXACT] = 0.0,
		[JUDGE_TO_HALF] = 0.5,
		[JUDGE_TO_ONE] = 1.0,
		[JUDGE_TO_TEN] = 10.0,
		[JUDGE_TO_THOUSAND] = 1e3,
		[JUDGE_TO_MILLION] = 1e6 };
	unsigned b = JUDGE_EXACT;

	if (!isfinite(ratio))
		return JUDGE_NOT_FINITE;
	while (b < JUDGE_MORE && ratio > ends[b])
		b++;
	return (enum judge_band)b;
}

void
judge_compare(const struct judge_want *w, const float *got,
    struct judge_result *ret)
{
	*ret = (struct judge_result){ .grade = JUDGE_VERIFIED };
	for (size_t i = 0; i < w->n; i++) {
		double g = (double)got[i], y = w->y[i], d = fabs(g - y), ratio;

		if (d == 0.0 && y != 0.0) {
			ret->errors[JUDGE_EXACT]++;
			continue; /* so common that it is worth a line */
		}
		ratio = judge_element(w, i, g);
		ret->errors[band_of(ratio)]++;

		if (isfinite(d)) {
			ret->max_abs_diff = fmax(ret->max_abs_diff, d);
			if (y != 0.0)
				ret->max_rel_diff =
				    fmax(ret->max_rel_diff, d / fabs(y));
		}
		if (!(ratio <= ret->bound_ratio)) {
			ret->bound_ratio = ratio;
			ret->worst = i;
		}
	}
	if (!(ret->bound_ratio <= INACCURATE_RATIO))
		ret->grade = JUDGE_WRONG;
	else if (ret->bound_ratio > 1.0)
		ret->grade = JUDGE_INACCURATE;
}

bool
judge_smoke(size_t n, const float *got, const double *y)
{
	for (size_t i = 0; i < n; i++) {
		double g = (double)got[i];
		bool same = g == y[i] || (isnan(g) && isnan(y[i]));

		if (!same && !(fabs(g - y[i]) <= 0.01 + 0.01 * fabs(y[i])))
			return false;
		if (!same && isinf(y[i]))
			return false;
	}
	return true;
}

const char *
judge_grade_name(enum judge_grade g)
{
	static const char *const names[JUDGE_NGRADES] = {
		[JUDGE_VERIFIED] = "verified",
		[JUDGE_INACCURATE] = "inaccurate",
		[JUDGE_WRONG] = "wrong",
	};

	return names[g];
}

const char *
judge_band_name(enum judge_band b)
{
	static const char *const names[JUDGE_NBANDS] = {
		[JUDGE_EXACT] = "exact",
		[JUDGE_TO_HALF] = "to_0.5",
		[JUDGE_TO_ONE] = "to_1",
		[JUDGE_TO_TEN] = "to_10",
		[JUDGE_TO_THOUSAND] = "to_1e3",
		[JUDGE_TO_MILLION] = "to_1e6",
		[JUDGE_MORE] = "more",
		[JUDGE_NOT_FINITE] = "not_finite",
	};

	return names[b];
}
