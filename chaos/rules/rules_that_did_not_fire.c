/*
 * From the counts alone.  A rule whose chance never came says nothing: that is
 * what chances do.
 */
#include "chaos/rules/rules_that_did_not_fire.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES 256

/* Requests that the rule might have met. */
static uint64_t
requests_for(const struct engine *e, const struct scenario *s,
    const struct rule *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->nproxies; i++)
		if (!r->proxy || strcmp(r->proxy, s->proxies[i].name) == 0)
			n += engine_requests(e, i);
	return n;
}

static bool
is_idle(const struct rule *r, const uint64_t counts[GOAL_NCOUNTS], uint64_t n,
    char line[LINE_BYTES])
{
	if (n == 0 || counts[GOAL_FIRED])
		return false;
	if (counts[GOAL_MATCHED] == 0)
		snprintf(line, LINE_BYTES, "rule %s met none of %llu requests",
		    r->id, (unsigned long long)n);
	else
		snprintf(line, LINE_BYTES,
		    "rule %s never applied: bypassed %llu times, the log says "
		    "why",
		    r->id, (unsigned long long)counts[GOAL_BYPASSED]);
	return counts[GOAL_MATCHED] == 0 || counts[GOAL_BYPASSED];
}

void
idlerules_tell(const struct engine *e, const struct scenario *s,
    void (*on_line)(const char *line, void *arg), void *arg)
{
	for (size_t i = 0; i < s->nrules; i++) {
		const struct rule *r = &s->rules[i];
		uint64_t counts[GOAL_NCOUNTS];
		char line[LINE_BYTES];

		engine_counts(e, i, counts);
		if (engine_is_enabled(e, i) &&
		    is_idle(r, counts, requests_for(e, s, r), line))
			on_line(line, arg);
	}
}
