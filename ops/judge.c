#include "ops/judge.h"

#include <math.h>

#define TINY             0x1p-126
#define INACCURATE_RATIO 64.0

/* How far one element is off, in units of what it may be off. */
static double
element_ratio(enum dtype t, double got, double y, double bound)
{
	double limit = dtype_overflow(t);

	if (isnan(y) || isnan(got))
		return isnan(y) && isnan(got) ? 0.0 : HUGE_VAL;
	if (isinf(got)) {
		bool may = isinf(y) || !(fabs(y) + bound < limit);

		return may && signbit(got) == signbit(y) ? 0.0 : HUGE_VAL;
	}
	if (isinf(y) || fabs(y) - bound >= limit)
		return HUGE_VAL;
	return fabs(got - y) /
	    (bound + dtype_half_ulp(t, fabs(y) + bound) + TINY);
}

void
judge_compare(enum dtype t, size_t n, const float *got, const double *y,
    const double *bound, struct judge_result *ret)
{
	*ret = (struct judge_result){ .grade = JUDGE_VERIFIED };
	for (size_t i = 0; i < n; i++) {
		double g = (double)got[i], d = fabs(g - y[i]);
		double ratio = element_ratio(t, g, y[i], bound[i]);

		if (isfinite(d)) {
			ret->max_abs_diff = fmax(ret->max_abs_diff, d);
			if (y[i] != 0.0)
				ret->max_rel_diff =
				    fmax(ret->max_rel_diff, d / fabs(y[i]));
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
