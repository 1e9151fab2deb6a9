/*
 * A scenario's expectations against what a run directory says.
 */
#ifndef AGENT_EXPECTATIONS_H
#define AGENT_EXPECTATIONS_H

#include "agent/ledger/op_standing.h"
#include "agent/run/run_scenario.h"
#include "agent/telling/scorecard.h"

/*
 * An array of {"what","expected","found","held"}, owned; empty without a
 * section `expect`: what nobody stated is not judged.
 */
json_t *expectations_check(const struct run_scenario *s,
    const struct standings *standings, const struct scorecard *card);

/* A line of the log for each of them that does not hold. */
void expectations_say(json_t *checks);

#endif
