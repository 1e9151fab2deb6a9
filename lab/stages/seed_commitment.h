/*
 * Commit and reveal: the hash of seed and nonce is on record before a model
 * is asked; both are told after the verdict, so that anybody can replay it
 * and nobody could have tuned to it.
 */
#ifndef LAB_SEED_COMMITMENT_H
#define LAB_SEED_COMMITMENT_H

#include <stdint.h>

#define SEED_BYTES      32
#define SEED_COMMIT_HEX 65
#define SEED_REVEAL_HEX (4 * SEED_BYTES + 1)

struct seed {
	uint8_t seed[SEED_BYTES];
	uint8_t nonce[SEED_BYTES];
};

/* Copies what is given, draws the rest from the system's generator. */
void seed_init(struct seed *s, const uint8_t *seed, const uint8_t *nonce);
/* Commits to the seed that lab_judge will use: call before generation. */
void lab_seed_commit(const uint8_t seed[32], const uint8_t nonce[32],
    char out[65]);

void seed_reveal(const struct seed *s, char out[SEED_REVEAL_HEX]);

#endif
