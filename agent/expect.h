/*
 * A scenario's expectations against what a run directory says.  Pure.
 */
#ifndef AGENT_EXPECT_H
#define AGENT_EXPECT_H

#include "agent/scenario.h"
#include "agent/scorecard.h"
#include "agent/standing.h"

/*
 * An array of {"what","expected","found","held"}, owned.  Without a section
 * `expect`, that every operator of the scenario is verified.
 */
json_t *expect_check(const struct scenario *s,
    const struct standings *standings, const struct scorecard *card);

/* Do all of them hold? */
bool expect_all_hold(json_t *checks);

#endif
