/* Commit and reveal: what is disclosed proves what was committed. */
#include "lab/stages/seed_commitment.h"

#include "lab/lab.h"
#include "tests/unit.h"
#include <string.h>

void
t_seed_commitment(void)
{
	/* SHA-256 of 32 bytes 0x61 and then 32 bytes 0x62. */
	static const char want[] = "fdd2a64d014f2c406d2ece67c23212a9"
	                           "2b356314f4deb42b24c395296ee304d2";
	char commit[SEED_COMMIT_HEX], again[SEED_COMMIT_HEX];
	char reveal[SEED_REVEAL_HEX];
	uint8_t a[SEED_BYTES], b[SEED_BYTES];
	struct seed s, other;

	memset(a, 'a', sizeof a);
	memset(b, 'b', sizeof b);
	lab_seed_commit(a, b, commit);
	CHECK_STR(commit, want, "the commitment is SHA-256(seed || nonce)");
	seed_init(&s, a, b);
	seed_reveal(&s, reveal);
	CHECK_INT(strlen(reveal), SEED_REVEAL_HEX - 1, "both are told");
	CHECK(strncmp(reveal, "6161", 4) == 0 &&
	        strcmp(reveal + 124, "6262") == 0,
	    "seed, then nonce");
	lab_seed_commit(s.seed, s.nonce, again);
	CHECK_STR(again, commit, "what is given is used");
	seed_init(&s, NULL, NULL);
	seed_init(&other, NULL, NULL);
	CHECK(memcmp(s.seed, other.seed, SEED_BYTES) != 0 &&
	        memcmp(s.nonce, other.nonce, SEED_BYTES) != 0,
	    "what is not given is drawn fresh");
}
