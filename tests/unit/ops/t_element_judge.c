#include "ops/element_judge.h"
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
	{ "to the other side, too",   -HUGE_VAL, 1.0,     1e6,  DTYPE_F16, JUDGE_VERIFIED },
	{ "overflow too soon",          HUGE_VAL, 65000.0,  2.0,  DTYPE_F16, JUDGE_WRONG },
	/* clang-format on */
};

/* Beside y = 1: what an operator allows. */
static const struct {
	const char *what;
	double got;
	uint8_t may;
	enum judge_grade want;
} others[] = {
	/* clang-format off */
	{ "NaN where it may be",      NO_NUMBER, OP_MAY_BE_NAN,     JUDGE_VERIFIED },
	{ "NaN where infinity may",   NO_NUMBER, OP_MAY_BE_INF,     JUDGE_WRONG },
	{ "infinity where it may be", HUGE_VAL,  OP_MAY_BE_INF,     JUDGE_VERIFIED },
	{ "the other infinity",       -HUGE_VAL, OP_MAY_BE_INF,     JUDGE_WRONG },
	{ "minus infinity",           -HUGE_VAL, OP_MAY_BE_NEG_INF, JUDGE_VERIFIED },
	{ "zero where it may be",     0.0,       OP_MAY_BE_ZERO,    JUDGE_VERIFIED },
	{ "zero where nothing may",   0.0,       0,                 JUDGE_WRONG },
	{ "the other value",          7.0,       OP_MAY_BE_OTHER,   JUDGE_VERIFIED },
	{ "the other value, not so",  7.0,       OP_MAY_BE_ZERO,    JUDGE_WRONG },
	{ "neither value",            6.0,       OP_MAY_BE_OTHER,   JUDGE_WRONG },
	{ "the formula's value",      1.0,       OP_MAY_BE_OTHER,   JUDGE_VERIFIED },
	/* clang-format on */
};

static enum judge_grade
grade_one(enum dtype t, double got, double y, double bound, uint8_t may,
    bool keeps_zero_sign)
{
	double other = 7.0;
	float g = (float)got;
	struct judge_want w = { .t = t,
		.keeps_zero_sign = keeps_zero_sign,
		.n = 1,
		.y = &y,
		.bound = &bound,
		.may = &may,
		.other = &other };
	struct judge_result r;

	judge_compare(&w, &g, &r);
	return r.grade;
}

static void
check_zeros(void)
{
	static const double zeros[] = { 0.0, -0.0 };

	for (int y = 0; y < 2; y++)
		for (int got = 0; got < 2; got++) {
			CHECK_INT(grade_one(DTYPE_F32, zeros[got], zeros[y], 0,
			              0, true),
			    got == y ? JUDGE_VERIFIED : JUDGE_WRONG,
			    "the sign of zero, where it is fixed");
			CHECK_INT(grade_one(DTYPE_F32, zeros[got], zeros[y], 0,
			              0, false),
			    JUDGE_VERIFIED, "and where it is not");
		}
	CHECK_INT(grade_one(DTYPE_F16, 0.0, -0x1p-30, 0, 0, true), JUDGE_WRONG,
	    "a zero that a store made keeps its sign");
}

/* Each element falls into one band, by how far off it is. */
static void
check_bands(void)
{
	static const double off[] = { 0, 0.4, 0.9, 5, 500, 5e5, 5e7, HUGE_VAL };
	double y[JUDGE_NBANDS], bound[JUDGE_NBANDS];
	float got[JUDGE_NBANDS];
	const struct judge_want w = { .t = DTYPE_F32,
		.n = JUDGE_NBANDS,
		.y = y,
		.bound = bound };
	struct judge_result r;

	for (unsigned b = 0; b < JUDGE_NBANDS; b++) {
		y[b] = 1.0;
		bound[b] = 0x1p-7;
		got[b] = (float)(1.0 + off[b] * 0x1p-7);
	}
	judge_compare(&w, got, &r);
	for (unsigned b = 0; b < JUDGE_NBANDS; b++)
		CHECK_INT(r.errors[b], 1, judge_band_name((enum judge_band)b));
}

void
t_element_judge(void)
{
	const float got[] = { 1.0f, 2.5f, NAN, 4.0f };
	double y[] = { 1.0, 2.0, NO_NUMBER, 4.25 };
	double bound[] = { 1.0, 1.0, 0.0, 0.125 };
	const double near = 4.04, infinite = HUGE_VAL;
	struct judge_want w = { .t = DTYPE_F32,
		.n = 4,
		.y = y,
		.bound = bound };
	struct judge_result r;

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(grade_one(rows[i].t, rows[i].got, rows[i].y,
		              rows[i].bound, 0, false),
		    rows[i].want, rows[i].what);
	for (size_t i = 0; i < COUNT(others); i++)
		CHECK_INT(grade_one(DTYPE_F32, others[i].got, 1.0, 0,
		              others[i].may, false),
		    others[i].want, others[i].what);
	check_zeros();
	check_bands();
	judge_compare(&w, got, &r);
	CHECK_INT(r.worst, 3, "the worst element");
	CHECK(r.max_abs_diff == 0.5, "the largest difference");
	CHECK(r.max_rel_diff == 0.25, "the largest relative difference");
	CHECK(r.bound_ratio > 1.99 && r.bound_ratio < 2.0, "the ratio");
	CHECK_STR(judge_grade_name(r.grade), "inaccurate", "the grade");
	CHECK_INT(r.errors[JUDGE_EXACT], 2, "NaN for NaN is exact");
	CHECK_INT(r.errors[JUDGE_TO_TEN], 1, "twice its bound");
	CHECK(!judge_smoke(4, got, y), "smoke sees 0.5 off");
	CHECK(judge_smoke(1, got, y), "smoke: equal");
	CHECK(judge_smoke(1, got + 2, y + 2), "smoke: NaN for NaN");
	CHECK(!judge_smoke(1, got, y + 2), "smoke: a number for NaN");
	CHECK(judge_smoke(1, got + 3, &near), "smoke: one per cent off");
	CHECK(!judge_smoke(1, got, &infinite), "smoke: a number for infinity");
	w.n = 0;
	judge_compare(&w, got, &r);
	CHECK_INT(r.grade, JUDGE_VERIFIED, "nothing is right");
}
