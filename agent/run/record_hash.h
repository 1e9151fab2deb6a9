/*
 * Is an iteration's record (kernels/OP/N.json, N.cl) still what the ledger
 * recorded?
 *
 * A record grows: the answer, then its verdict, then the audit of a claim.  A
 * line of the ledger that speaks of it holds its hash as it was then
 * (`record_sha256` of `generated` and of a verdict; what comes behind the
 * verdict stands in `records` of whatever line is next).  What is added later
 * is left out of an earlier hash, so each can be checked at any time after.
 * Lines of older runs hold no such hash: theirs are bound by answer, prompt
 * and route alone.
 */
#ifndef AGENT_RECORD_HASH_H
#define AGENT_RECORD_HASH_H

#include "agent/ledger/ledger.h"
#include "base/digest.h"
#include <jansson.h>

enum record_stage {
	RECORD_ANSWERED, /* or why no answer came */
	RECORD_JUDGED,
	RECORD_AUDITED, /* and timed */
	RECORD_NSTAGES
};

/* The hash of what a record holds at that stage, as the file will have it:
 * masked. */
void record_hash(json_t *record, enum record_stage s, char out[DIGEST_HEX]);
/* Takes out what comes only after that stage. */
void record_strip(json_t *record, enum record_stage s);

/* What `generated` binds: hashes of the answer, of what was asked, and of the
 * record. */
json_t *record_binding(json_t *record);
/* Is it the answer, the question and the route that `generated` bound? */
bool record_is_bound(json_t *record, const struct ledger_entry *generated);

/* Does a line of the ledger hold what came of this claim after it? */
bool record_has_bound_audit(const struct ledger *l, const char *op,
    unsigned iteration);

/*
 * What of an iteration is not what the ledger recorded: "kernels/OP/N.json" or
 * "kernels/OP/N.cl", owned; NULL: nothing.  The record must be the bound one
 * and its verdict the ledger's; the kernel's file must be the answer's kernel,
 * and may be missing only while the iteration has come no further.
 */
char *record_forged(const char *dir, const struct ledger *l, const char *op,
    unsigned iteration, json_t *record);
/* The same of the baseline and its line in naive.jsonl. */
char *record_naive_forged(const char *dir, json_t *line, json_t *record);

/* The first such file of all that ledger and naive.jsonl speak of.  Owned, or
 * NULL. */
char *record_first_forged(const char *dir, const struct ledger *l);

#endif
