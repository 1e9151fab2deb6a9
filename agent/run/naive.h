/*
 * The naive baseline: what an agent without a verifier does.  The same first
 * prompt, the primary model only, compile, smoke, and then it claims.  The
 * truth of its claim is measured afterwards, with the whole lab.
 */
#ifndef AGENT_NAIVE_H
#define AGENT_NAIVE_H

#include "agent/run/run.h"
#include "base/chained_journal.h"

/*
 * Runs one operator and appends its line to naive.jsonl: op, claimed,
 * correct, silent_wrong, truth, route, class, failing_cases, message.  An
 * answer that came in a run before this one is not asked for again.
 * ERR_ENV, ERR_CLOSED: no line, as work_operator.  ERR_IO.
 */
enum err naive_operator(struct run *run, const struct op *op,
    struct journal *lines, struct why *why);

#endif
