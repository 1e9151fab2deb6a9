/* What a verdict says of a claim; what it does not say is not made up. */
#include "agent/run/claim_truth.h"
#include "lab/stages/lab_report.h"
#include "tests/unit.h"
#include <string.h>

void
t_claim_truth(void)
{
	static const struct {
		const char *verdict, *truth;
	} rows[] = {
		{ "verified_correct", "right" },
		{ "verified_incorrect", "wrong" },
		{ "timeout", "loud" },
		{ "crash", "loud" },
		{ "unproven", "unproven" },
		{ "lab_error", "unknown" },
		{ "resource", "unknown" },
		{ "smoke_passed", "unknown" },
		{ "no such verdict", "unknown" },
		{ NULL, "unknown" },
	};
	size_t wrong = 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_STR(truth_name(truth_of_verdict(rows[i].verdict)),
		    rows[i].truth, rows[i].verdict ? rows[i].verdict : "none");
	/* Of all that the lab can say, one thing is silently wrong. */
	for (int v = 0; v < LAB_NVERDICTS; v++)
		wrong += truth_of_verdict(lab_verdict_name(
		             (enum lab_verdict)v)) == TRUTH_WRONG;
	CHECK_INT(wrong, 1, "only what was measured is silently wrong");
	for (int t = 0; t < TRUTH_NTRUTHS; t++)
		CHECK_INT(truth_find(truth_name((enum truth)t)), t,
		    truth_name((enum truth)t));
	CHECK_INT(truth_find("x"), TRUTH_UNKNOWN, "no such name");
}
