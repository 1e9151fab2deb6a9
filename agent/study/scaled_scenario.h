/*
 * A scenario with its faults made rarer or more frequent.  Pure.
 *
 *	p, burst.start_p, markov.good_to_bad	times the factor, 1 at most
 *	always					the factor as p, below 1
 *	nth, every, window, after		as they are; gone at 0
 *
 * Goals and expectations go: they speak of the scenario as it was written.
 */
#ifndef AGENT_SCALED_SCENARIO_H
#define AGENT_SCALED_SCENARIO_H

#include "base/err.h"
#include <jansson.h>

/*
 * A copy of scenario, owned.  folder: where the file lies, for the paths in
 * it.  ERR_SYNTAX: it has a preset, whose rules are not in it.
 */
enum err scaled_scenario(json_t *scenario, const char *folder, double factor,
    const char *seed, json_t **ret, struct why *why);

#endif
