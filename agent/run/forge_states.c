/*
 * The table of the loop and its profiles.  A new state is a row here and a
 * work function; a new profile is a row.
 */
#include "agent/run/forge_states.h"

#include "base/units.h"
#include <stddef.h>
#include <string.h>

static const char *const forge_names[FORGE_NSTATES] = {
	[FORGE_GENERATING] = "GENERATING",
	[FORGE_JUDGING] = "JUDGING",
	[FORGE_REFINE] = "REFINE",
	[FORGE_VERIFIED] = "VERIFIED",
	[FORGE_ABANDONED] = "ABANDONED",
};

/* clang-format off */
static const enum forge_state forge_table[FORGE_NSTATES][FORGE_NEVENTS] = {
	/*		      PASS		FAIL		 SPENT */
	[FORGE_GENERATING] = { FORGE_JUDGING,	FORGE_REFINE,	 FORGE_ABANDONED },
	[FORGE_JUDGING]	   = { FORGE_VERIFIED,	FORGE_REFINE,	 FORGE_ABANDONED },
	[FORGE_REFINE]	   = { FORGE_GENERATING, FORGE_ABANDONED, FORGE_ABANDONED },
	[FORGE_VERIFIED]   = { FORGE_VERIFIED,	FORGE_VERIFIED,	 FORGE_VERIFIED  },
	[FORGE_ABANDONED]  = { FORGE_ABANDONED,	FORGE_ABANDONED, FORGE_ABANDONED },
};

static const struct forge_profile forge_profiles[] = {
	{ "demo",	3, 1 },
	{ "regression", 6, 2 },
};
/* clang-format on */

const struct forge_profile *
forge_profile_find(const char *name)
{
	for (size_t i = 0; i < COUNT(forge_profiles); i++)
		if (strcmp(forge_profiles[i].name, name) == 0)
			return &forge_profiles[i];
	return NULL;
}

const char *
forge_profile_names(void)
{
	return "demo or regression";
}

const char *
forge_state_name(enum forge_state s)
{
	return forge_names[s];
}

void
forge_init(struct forge *f, const struct forge_profile *profile,
    unsigned iteration, unsigned lost)
{
	*f = (struct forge){
		.profile = profile,
		.state = FORGE_GENERATING,
		.iteration = iteration,
		.lost = lost,
	};
}

enum forge_state
forge_step(struct forge *f, enum forge_event ev)
{
	if (f->state == FORGE_REFINE && ev == FORGE_PASS)
		f->iteration++;
	f->state = forge_table[f->state][ev];
	return f->state;
}

enum forge_event
forge_budget(const struct forge *f)
{
	return f->iteration < f->profile->iterations_max + f->lost
	    ? FORGE_PASS
	    : FORGE_SPENT;
}

bool
forge_has_room(const struct forge *f)
{
	return f->iteration <= f->profile->iterations_max + f->lost;
}

bool
forge_escalates(const struct forge *f)
{
	return f->iteration > f->profile->escalate_after + f->lost;
}

bool
forge_is_over(const struct forge *f)
{
	return f->state == FORGE_VERIFIED || f->state == FORGE_ABANDONED;
}
