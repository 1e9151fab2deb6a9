/* The exact test and the effect of paired comparisons. */
#include "agent/study/paired_test.h"
#include "tests/unit.h"
#include <math.h>

#define UNSEEN 9.0

void
t_paired_test(void)
{
	static const struct {
		const char *what;
		struct paired p;
		double test, diff, low, high; /* UNSEEN: not looked at */
	} rows[] = {
		{ "nothing", { 0, 0, 0, 0 }, 1, 0, -0.9799820, 0.9799820 },
		{ "all alike", { 20, 0, 0, 0 }, 1, 0, -0.0890893, 0.0890893 },
		{ "five gained", { 5, 0, 5, 0 }, 0.0625, 0.5, UNSEEN, UNSEEN },
		{ "as many lost as gained", { 0, 3, 3, 4 }, 1, 0, UNSEEN,
		    UNSEEN },
		{ "eight to one", { 11, 1, 8, 0 }, 0.0390625, 0.35, 0.0698044,
		    0.5665592 },
		{ "ten lost", { 0, 10, 0, 10 }, 0.001953125, -0.5, UNSEEN,
		    UNSEEN },
	};
	struct paired counted = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct paired_effect e = paired_effect(&rows[i].p);

		CHECK(fabs(paired_test(&rows[i].p) - rows[i].test) < 1e-12,
		    rows[i].what);
		CHECK(fabs(e.diff - rows[i].diff) < 1e-12, rows[i].what);
		CHECK(e.low <= e.high, rows[i].what);
		if (!(rows[i].low >= UNSEEN)) {
			CHECK(fabs(e.low - rows[i].low) < 1e-6, rows[i].what);
			CHECK(fabs(e.high - rows[i].high) < 1e-6, rows[i].what);
		}
	}
	paired_count(&counted, true, true);
	paired_count(&counted, true, false);
	paired_count(&counted, false, true);
	paired_count(&counted, false, true);
	paired_count(&counted, false, false);
	CHECK_INT(counted.both, 1, "both");
	CHECK_INT(counted.only_a, 1, "only A");
	CHECK_INT(counted.only_b, 2, "only B");
	CHECK_INT(counted.neither, 1, "neither");
	CHECK_INT(paired_n(&counted), 5, "all");
}
