#include "ops/judge.h"
#include "tests/unit.h"

#include <math.h>

#define NO_NUMBER ((double)NAN)

static const struct {
	const char *what;
	double got, y, bound;
	enum dtype t;
	enum judge_grade want;
} rows[] = {
	/* clang-format off */
	{ "equal",                      1.0,      1.0,      0,    DTYPE_F32, JUDGE_VERIFIED },
	{ "one rounding",               1.0,      1.0004,   0,    DTYPE_F16, JUDGE_VERIFIED },
	{ "two roundings",              1.0,      1.0006,   0,    DTYPE_F16, JUDGE_INACCURATE },
	{ "within the bound",           1.0,      1.01,     0.01, DTYPE_F32, JUDGE_VERIFIED },
	{ "twice the bound",            1.0,      1.02,     0.01, DTYPE_F32, JUDGE_INACCURATE },
	{ "a hundred times",            1.0,      2.0,      0.01, DTYPE_F32, JUDGE_WRONG },
	{ "a subnormal may be flushed", 0.0,      0x1p-127, 0,    DTYPE_F32, JUDGE_VERIFIED },
	{ "NaN for NaN",                NO_NUMBER,      NO_NUMBER,      0,    DTYPE_F32, JUDGE_VERIFIED },
	{ "NaN for a number",           NO_NUMBER,      1.0,      1e9,  DTYPE_F32, JUDGE_WRONG },
	{ "a number for NaN",           1.0,      NO_NUMBER,      NO_NUMBER,  DTYPE_F32, JUDGE_WRONG },
	{ "infinity for infinity",      HUGE_VAL, HUGE_VAL, NO_NUMBER,  DTYPE_F32, JUDGE_VERIFIED },
	{ "the other infinity",         -HUGE_VAL, HUGE_VAL, 0,    DTYPE_F32, JUDGE_WRONG },
	{ "infinity for a number",      HUGE_VAL, 1.0,      1e9,  DTYPE_F32, JUDGE_WRONG },
	{ "a number for infinity",      1.0,      HUGE_VAL, 0,    DTYPE_F32, JUDGE_WRONG },
	{ "overflow of the store",      HUGE_VAL, 70000.0,  0,    DTYPE_F16, JUDGE_VERIFIED },
	{ "no overflow where due",      65504.0,  70000.0,  1.0,  DTYPE_F16, JUDGE_WRONG },
	{ "near the limit, either",     HUGE_VAL, 65519.0,  2.0,  DTYPE_F16, JUDGE_VERIFIED },
	{ "near the limit, or",         65504.0,  65521.0,  2.0,  DTYPE_F16, JUDGE_VERIFIED },
	{ "overflow too soon",          HUGE_VAL, 65000.0,  2.0,  DTYPE_F16, JUDGE_WRONG },
	/* clang-format on */
};

void
t_judge(void)
{
	const float got[] = { 1.0f, 2.5f, NAN, 4.0f };
	const double y[] = { 1.0, 2.0, NO_NUMBER, 4.25 };
	const double bound[] = { 1.0, 1.0, 0.0, 0.125 };
	const double near = 4.04, infinite = HUGE_VAL;
	struct judge_result r;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		float g = (float)rows[i].got;

		judge_compare(rows[i].t, 1, &g, &rows[i].y, &rows[i].bound, &r);
		CHECK_INT(r.grade, rows[i].want, rows[i].what);
	}
	judge_compare(DTYPE_F32, 4, got, y, bound, &r);
	CHECK_INT(r.worst, 3, "the worst element");
	CHECK(r.max_abs_diff == 0.5, "the largest difference");
	CHECK(r.max_rel_diff == 0.25, "the largest relative difference");
	CHECK(r.bound_ratio > 1.99 && r.bound_ratio < 2.0, "the ratio");
	CHECK_STR(judge_grade_name(r.grade), "inaccurate", "the grade");
	CHECK(!judge_smoke(4, got, y), "smoke sees 0.5 off");
	CHECK(judge_smoke(1, got, y), "smoke: equal");
	CHECK(judge_smoke(1, got + 2, y + 2), "smoke: NaN for NaN");
	CHECK(!judge_smoke(1, got, y + 2), "smoke: a number for NaN");
	CHECK(judge_smoke(1, got + 3, &near), "smoke: one per cent off");
	CHECK(!judge_smoke(1, got, &infinite), "smoke: a number for infinity");
	judge_compare(DTYPE_F32, 0, NULL, NULL, NULL, &r);
	CHECK_INT(r.grade, JUDGE_VERIFIED, "nothing is right");
}
