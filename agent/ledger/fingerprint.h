/*
 * The fingerprint of a run: a hash over its decisions, not over its times or
 * the digits of its floats.  Equal on every run of a scenario, on every
 * machine.
 *
 * One line of text a decision, in this order:
 *	ledger|OP|ITERATION|STATE|ROUTE|CLASS|CASE,CASE,...
 *	naive|OP|CLAIMED|CORRECT|ROUTE|CLASS|CASE,CASE,...
 *	fault|RULE|FAULT|PROXY|KEY|ATTEMPT|RESULT	(sorted)
 */
#ifndef AGENT_FINGERPRINT_H
#define AGENT_FINGERPRINT_H

#include "agent/ledger/ledger.h"
#include "base/digest.h"
#include <jansson.h>

/*
 * naive: array of naive.jsonl lines.  chaos: array of chaos.jsonl lines in any
 * order, or NULL.  ops: the run's operators, by which the lines of ledger and
 * baseline are put in order; NULL: as they stand.
 */
void fingerprint_make(const struct ledger *l, json_t *naive, json_t *chaos,
    json_t *ops, char out[DIGEST_HEX]);

#endif
