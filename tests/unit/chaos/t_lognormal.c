/*
 * The log-normal draw: median, shape, order, and the ends of its domain.
 */
#include "chaos/rules/lognormal.h"

#include "tests/unit.h"

#define HALF (UINT64_C(1) << 63)

void
t_lognormal(void)
{
	/* u/2^64 and exp(sigma * z) of it, from tables of the normal. */
	static const struct {
		const char *what;
		uint64_t u;
		int64_t sigma;
		uint64_t want; /* of a median of 10000 */
	} rows[] = {
		{ "the median", HALF, 500, 10000 },
		{ "no spread", 1, 0, 10000 },
		{ "one sigma up", UINT64_C(15520000000000000000), 1000, 27183 },
		{ "one sigma down", UINT64_C(2926700000000000000), 1000, 3679 },
		{ "half a sigma up", UINT64_C(15520000000000000000), 500,
		    16487 },
		{ "the upper end", UINT64_MAX, 1000, 200855 },
		{ "the lower end", 0, 1000, 498 },
	};
	uint64_t before = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t got = lognormal(10000, rows[i].sigma, rows[i].u);
		uint64_t slack = rows[i].want / 100 + 1; /* a percent */

		CHECK(got + slack >= rows[i].want &&
		        got <= rows[i].want + slack,
		    rows[i].what);
	}
	for (uint64_t u = 0; u < UINT64_MAX - HALF / 512; u += HALF / 512) {
		uint64_t v = lognormal(1000000, 800, u);

		CHECK(v >= before, "a larger draw is no shorter");
		before = v;
	}
	CHECK_INT(lognormal(0, 1000, UINT64_MAX), 0, "of nothing, nothing");
}
