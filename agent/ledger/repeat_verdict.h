/*
 * The seed that a verdict is repeated from: given by hand, or revealed by a
 * line of a ledger.
 */
#ifndef AGENT_REPEAT_VERDICT_H
#define AGENT_REPEAT_VERDICT_H

#include "base/err.h"
#include "cltext/candidate.h"
#include <stdbool.h>
#include <stdint.h>

struct repeat {
	uint8_t seed[32], nonce[32];
	bool has_nonce;
	char source_sha256[65]; /* of the kernel that was judged, or "" */
	char *file;             /* owned; where the run keeps that kernel */
};

/* hex: 64 digits of a seed, 128 of seed and nonce.  ERR_SYNTAX. */
enum err repeat_from_hex(const char *hex, struct repeat *ret, struct why *why);

/*
 * From the attempt of that operator in a ledger, a file or a run directory;
 * iteration 0 is its last one.  ERR_SYNTAX: the ledger proves nothing;
 * ERR_NOTFOUND: no such attempt, or none whose seed was revealed.
 */
enum err repeat_from_ledger(const char *path, const char *op,
    unsigned iteration, struct repeat *ret, struct why *why);

/*
 * Is it the kernel that was judged?  Its source is; or it is the file that the
 * run made of such a source, with a header before it, as the record beside it
 * tells.  What was judged is not always known: true.
 */
bool repeat_is_of(const struct repeat *r, const struct candidate *c);

void repeat_done(struct repeat *r);

#endif
