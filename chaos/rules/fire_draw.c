/*
 * The keyed draw.  The text that is hashed is written out here in one place,
 * in the order of the header's formula; nothing else of the program may
 * enter it, or the published vectors would stop being true.
 */
#include "chaos/rules/fire_draw.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/digest.h"

#define TWO_POW 64

struct chance
chance_of(double p)
{
	struct chance c = { 0, p >= 1.0 };

	/* 1 has no 64-bit threshold that every draw is below, which is why it
	 * is a flag. */
	if (p > 0.0 && p < 1.0)
		c.below = (uint64_t)ldexp(p, TWO_POW);
	return c;
}

uint64_t
fire_draw(const struct fire_draw *d, const char *draw)
{
	uint8_t hash[DIGEST_BYTES];
	char attempt[24];
	struct digest *sum = digest_new();
	uint64_t u = 0;

	snprintf(attempt, sizeof attempt, "|%llu|",
	    (unsigned long long)d->attempt);
	digest_adds(sum, "v1|");
	digest_adds(sum, d->seed);
	digest_adds(sum, "|");
	digest_adds(sum, d->scenario_hash);
	digest_adds(sum, "|");
	digest_adds(sum, d->rule);
	digest_adds(sum, "|");
	digest_adds(sum, d->key);
	digest_adds(sum, attempt);
	digest_adds(sum, draw);
	digest_finish(sum, hash);
	for (size_t i = 0; i < sizeof u; i++)
		u = u << 8 | hash[i];
	return u;
}

bool
fire_draw_hits(const struct fire_draw *d, const char *draw, struct chance c)
{
	return c.is_certain || fire_draw(d, draw) < c.below;
}

uint64_t
fire_draw_between(const struct fire_draw *d, const char *draw, uint64_t lo,
    uint64_t hi)
{
	if (hi <= lo)
		return lo;
	/* The number of values would be 2^64, which is 0 here. */
	if (lo == 0 && hi == UINT64_MAX)
		return fire_draw(d, draw);
	/* The remainder favours small values by less than 2^-30 for every range
	 * that a scenario can ask for; a draw that was repeated to be fair
	 * could not be foretold by its formula. */
	return lo + fire_draw(d, draw) % (hi - lo + 1);
}
