/*
 * The forge: the loop of one operator, as a table machine.
 *
 *	GENERATING -> JUDGING -> VERIFIED
 *	        \           \
 *	         +-----------+--> REFINE -> GENERATING
 *	                             \----> ABANDONED
 *
 * The machine knows the order and the budget; what is done in a state is
 * work.c's.  Pure: no I/O, no clock.
 */
#ifndef AGENT_FORGE_STATES_H
#define AGENT_FORGE_STATES_H

#include <stdbool.h>

enum forge_state {
	FORGE_GENERATING,
	FORGE_JUDGING,
	FORGE_REFINE,
	FORGE_VERIFIED,  /* the end, with a claim */
	FORGE_ABANDONED, /* the end, without one */
	FORGE_NSTATES
};

enum forge_event {
	FORGE_PASS,  /* the state's work succeeded */
	FORGE_FAIL,  /* it failed; the candidate is given up */
	FORGE_SPENT, /* there is no budget for another try */
	FORGE_NEVENTS
};

/* How many tries an operator gets, and when to ask the stronger model. */
struct forge_profile {
	const char *name;
	unsigned iterations_max;
	unsigned escalate_after; /* failed iterations before escalation */
};

const struct forge_profile *forge_profile_find(const char *name);
/* "demo or regression": for messages. */
const char *forge_profile_names(void);

struct forge {
	const struct forge_profile *profile;
	enum forge_state state;
	unsigned iteration; /* from 1 */
	unsigned lost;      /* tries before that do not count (lost_tries.h) */
};

const char *forge_state_name(enum forge_state s);

/* Starts at GENERATING of the given iteration (1, or where a resumed ledger
 * stands), of which so many do not count. */
void forge_init(struct forge *f, const struct forge_profile *profile,
    unsigned iteration, unsigned lost);

/*
 * Takes one step and returns the new state.  An event that the table does
 * not know in this state ends in ABANDONED.  REFINE with FORGE_PASS goes to
 * the next iteration.
 */
enum forge_state forge_step(struct forge *f, enum forge_event ev);

/* What REFINE must say: PASS while there is budget, SPENT after. */
enum forge_event forge_budget(const struct forge *f);
/* Does the profile give this iteration? */
bool forge_has_room(const struct forge *f);
/* Is this iteration asked of the escalation model? */
bool forge_escalates(const struct forge *f);
bool forge_is_over(const struct forge *f);

#endif
