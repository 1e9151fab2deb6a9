/* A model is told of one case, in words and powers of ten. */
#include "lab/stages/model_hint.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *what;
	enum lab_stage stage;
	enum lab_verdict verdict;
	const char *class, *message, *want;
} words[] = {
	{ "a compiler speaks of the text", LAB_STAGE_BUILD, LAB_COMPILE_ERROR,
	    "compile_error", "float32: 3:5: 701 is undeclared",
	    "float32: 3:5: 701 is undeclared" },
	{ "numbers of a run are cut", LAB_STAGE_HOLDOUTS,
	    LAB_VERIFIED_INCORRECT, "wrong",
	    "case \"one row\" (float32): wrong: largest difference 0.424, at "
	    "[0][700]",
	    "case \"one row\" (float32): wrong" },
	{ "a line of the source stays", LAB_STAGE_OCLGRIND,
	    LAB_VERIFIED_INCORRECT, "race",
	    "Oclgrind on a tiny case (float32): race: item 70 and 71 (line 8)",
	    "Oclgrind on a tiny case (float32): race (line 8)" },
	{ "a sum over all cases is no more than that", LAB_STAGE_HOLDOUTS,
	    LAB_VERIFIED_INCORRECT, "inaccurate", "701 of 2048 are off",
	    "inaccurate, by all cases together" },
	{ "what never ran is told by lines", LAB_STAGE_COVERAGE, LAB_UNPROVEN,
	    "unproven", "line 3 was never true", "line 3 was never true" },
};

static const struct {
	double v, want;
} powers[] = {
	{ 0, 0 },
	{ 0.424, 1 },
	{ 3200, 1e4 },
	{ 1.2345e-3, 1e-3 },
	{ 7e30, 1e9 },
	{ 2e-44, 1e-9 },
};

static const struct {
	uint32_t items;
	uint64_t want;
} groups[] = { { 0, 0 }, { 1, 1 }, { 500, 512 }, { 512, 512 },
	{ UINT32_MAX, (uint64_t)1 << 32 } };

static void
check_words(void)
{
	for (size_t i = 0; i < COUNT(words); i++) {
		static struct lab_report r = { .nstages = 1 };
		char *told;

		r.verdict = words[i].verdict;
		r.class = words[i].class;
		r.stages[0].stage = words[i].stage;
		r.stages[0].status = LAB_STAGE_FAILED;
		(void)snprintf(r.message, sizeof r.message, "%s",
		    words[i].message);
		told = model_hint_words(&r);
		CHECK_STR(told, words[i].want, words[i].what);
		free(told);
	}
}

void
t_model_hint(void)
{
	static struct lab_report r = { .ncases = 3 };

	check_words();
	for (size_t i = 0; i < COUNT(powers); i++)
		CHECK(fabs(model_hint_power_of_ten(powers[i].v) -
		          powers[i].want) <= powers[i].want * 1e-9,
		    "a power of ten of one digit");
	CHECK(isinf(model_hint_power_of_ten(HUGE_VAL)), "no number stays none");
	for (size_t i = 0; i < COUNT(groups); i++)
		CHECK_INT(model_hint_group(groups[i].items), groups[i].want,
		    "a group is told as a power of two");
	r.cases[0].passed = true;
	CHECK(model_hint_case(&r) == &r.cases[1], "the first that failed");
	r.ncases = 1;
	CHECK(!model_hint_case(&r), "none failed");
}
