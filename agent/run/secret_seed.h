/*
 * Where the lab's secret seeds come from.
 *
 * With a scenario's seed they are derived, so that a scripted run repeats
 * exactly; without one they are drawn from the system.  The label names the
 * use ("seed", "nonce"), so no two draws are related.
 *
 *	SHA-256("kf-seed|1|" SEED "|" ROLE "|" OP "|" ITERATION "|" LABEL)
 */
#ifndef AGENT_SECRET_SEED_H
#define AGENT_SECRET_SEED_H

#include "base/digest.h"
#include <stdint.h>

struct secret_seed {
	uint8_t seed[DIGEST_BYTES];
	uint8_t nonce[DIGEST_BYTES];
};

/* scenario_seed NULL: fresh ones. */
void secret_seed_draw(const char *scenario_seed, const char *role,
    const char *op, unsigned iteration, struct secret_seed *ret);

#endif
