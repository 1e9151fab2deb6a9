/*
 * Seeds, their commitment and their disclosure. The nonce is there so that the
 * hash cannot be tried with seeds that somebody guesses.
 */
#include "lab/stages/seed_commitment.h"

#include "base/digest.h"
#include <string.h>

static void
take_or_draw(uint8_t *out, const uint8_t *given)
{
	if (given)
		memcpy(out, given, SEED_BYTES);
	else
		digest_random(out, SEED_BYTES);
}

void
seed_init(struct seed *s, const uint8_t *seed, const uint8_t *nonce)
{
	take_or_draw(s->seed, seed);
	take_or_draw(s->nonce, nonce);
}

void
lab_seed_commit(const uint8_t seed[32], const uint8_t nonce[32], char out[65])
{
	uint8_t both[2 * SEED_BYTES];

	memcpy(both, seed, SEED_BYTES);
	memcpy(both + SEED_BYTES, nonce, SEED_BYTES);
	digest_sha256_hex(both, sizeof both, out);
}

void
seed_reveal(const struct seed *s, char out[SEED_REVEAL_HEX])
{
	digest_hex(s->seed, out);
	digest_hex(s->nonce, out + 2 * sizeof s->seed);
}
