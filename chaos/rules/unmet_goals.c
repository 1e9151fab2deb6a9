/*
 * Goals are asked of the engine's counts once, when a run is over: a count only
 * grows, and "==" or "<" may hold half way and not at the end.
 */
#include "chaos/rules/unmet_goals.h"

#include <stdio.h>

#include "chaos/rules/rule.h"

size_t
unmet_goals(const struct engine *e, const struct scenario *s,
    void (*on_unmet)(const char *line, void *arg), void *arg)
{
	char line[256];
	size_t unmet = 0;

	for (size_t i = 0; i < s->nrules; i++) {
		const struct rule *r = &s->rules[i];
		uint64_t c[GOAL_NCOUNTS];

		engine_counts(e, i, c);
		if (goal_is_met(&r->goal, c))
			continue;
		unmet++;
		snprintf(line, sizeof line,
		    "goal not met: rule %s: %s (matched %llu, fired %llu, "
		    "bypassed %llu)",
		    r->id, r->goal.text, (unsigned long long)c[GOAL_MATCHED],
		    (unsigned long long)c[GOAL_FIRED],
		    (unsigned long long)c[GOAL_BYPASSED]);
		on_unmet(line, arg);
	}
	return unmet;
}
