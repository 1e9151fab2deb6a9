/*
 * Decisions of the chaos proxy: pure functions, no random stream.
 *
 *	u = the first 64 bits, big-endian, of
 *	    SHA-256("v1|" seed "|" scenario_hash "|" rule "|" key "|" attempt
 *	            "|" draw)
 *
 * u is compared with an integer threshold.  So accept order, concurrency and
 * machine cannot change a decision, and every parameter (a delay, a cut
 * point, a site) is just another draw by another name.  docs/decisions.md
 * publishes vectors, tests/unit/chaos/t_fire_draw.c checks them.
 */
#ifndef CHAOS_FIRE_DRAW_H
#define CHAOS_FIRE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

/* What a draw depends on; all borrowed. */
struct fire_draw {
	const char *seed;
	const char *scenario_hash;
	const char *rule;
	const char *key;
	uint64_t attempt;
};

/* A probability as a threshold: a draw hits when it is below. */
struct chance {
	uint64_t below;
	bool is_certain; /* 1.0 has no 64-bit threshold */
};

/* p in 0..1; exact, because scaling a double by 2^64 only moves its exponent.
 */
struct chance chance_of(double p);

uint64_t fire_draw(const struct fire_draw *d, const char *draw);
bool fire_draw_hits(const struct fire_draw *d, const char *draw,
    struct chance c);

/* lo + u mod (hi - lo + 1); lo when hi is not above it. */
uint64_t fire_draw_between(const struct fire_draw *d, const char *draw,
    uint64_t lo, uint64_t hi);

#endif
