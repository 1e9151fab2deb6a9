/*
 * A run without a scenario: which operators, and where the key is.
 */
#ifndef AGENT_LIVE_OPS_H
#define AGENT_LIVE_OPS_H

#include "agent/run/run_scenario.h"
#include "base/err.h"

struct live_ops {
	const char
	    *names[RUN_SCENARIO_OPS_MAX]; /* borrowed, from text or elsewhere */
	size_t n;
	char *text; /* owned */
};

/* "a,b,c" or "all"; NULL: none.  ERR_RANGE: too many. */
enum err live_ops_operators(const char *list, struct live_ops *ret,
    struct why *why);
/* One more; what does not fit is passed over, as the scenario would refuse
 * it. */
void live_ops_add(struct live_ops *ops, const char *name);

/*
 * Lines NAME=VALUE into the environment, where a name is not set yet; '#' and
 * empty lines are passed over, "export " and quotes around a value are
 * dropped.  NULL: nothing to do.  ERR_SYNTAX names the line and never its
 * value; ERR_NOTFOUND.
 */
enum err live_ops_environment(const char *path, struct why *why);

#define LIVE_OPS_NO_KEY "local"

/* The first of the variables that hold a key; LIVE_OPS_NO_KEY when none does.
 */
const char *live_ops_key(void);

#endif
