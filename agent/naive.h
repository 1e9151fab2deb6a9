/*
 * The naive baseline: what an agent without a verifier does.  The same first
 * prompt, the primary model only, compile, smoke, and then it claims.  The
 * truth of its claim is measured afterwards, with the whole lab.
 */
#ifndef AGENT_NAIVE_H
#define AGENT_NAIVE_H

#include "agent/run.h"
#include "base/journal.h"

/*
 * Runs one operator and appends its line to naive.jsonl: op, claimed,
 * correct, silent_wrong, route, class, failing_cases, message.
 * ERR_ENV: the gateway is unreachable (no line).  ERR_IO.
 */
enum err naive_operator(struct run *run, const struct op *op,
    struct journal *lines, struct why *why);

#endif
