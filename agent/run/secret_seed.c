/*
 * A seed is one digest over named parts: the function's text, in the header, is
 * the contract by which a scripted run is repeated elsewhere.
 */
#include "agent/run/secret_seed.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

static void
derive(const char *scenario_seed, const char *role, const char *op,
    unsigned iteration, const char *label, uint8_t out[DIGEST_BYTES])
{
	char *text = xasprintf("kf-seed|1|%s|%s|%s|%u|%s", scenario_seed, role,
	    op, iteration, label);

	digest_sha256(text, strlen(text), out);
	free(text);
}

void
secret_seed_draw(const char *scenario_seed, const char *role, const char *op,
    unsigned iteration, struct secret_seed *ret)
{
	if (!scenario_seed) {
		digest_random(ret, sizeof *ret);
		return;
	}
	derive(scenario_seed, role, op, iteration, "seed", ret->seed);
	derive(scenario_seed, role, op, iteration, "nonce", ret->nonce);
}
