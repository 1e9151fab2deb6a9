/*
 * What a loop carries from one round into the next: the slots that its body
 * makes and that something takes afterwards.  In unoptimised code these are the
 * candidate's variables.
 *
 * A counter is a whole number or an address that each way through the body
 * leaves alone or moves by what the loop does not change, one lane of a vector too.  A value is a float.
 * Anything else makes the loop odd: nobody can say where it will be some
 * thousand rounds from here.
 */
#ifndef LAB_PROBE_PROGRAM_CARRIED_H
#define LAB_PROBE_PROGRAM_CARRIED_H

#include "lab/probe/program.h"

#define PROG_CARRIED_MAX 24
#define PROG_MOVERS_MAX  8

struct prog_carried {
	int32_t slot;
	uint32_t bits;
	bool is_value;
};

struct prog_loop {
	const struct prog_function *f;
	int32_t counts; /* the slot of its steps: which loop it is */
	bool is_odd;
	/* The one atomic of its body, where that adds what the loop does not
	 * change. */
	const struct prog_instr *queue;
	/* Its counters, its queue and what it does not change decide when it ends. */
	bool ends_by_counters;
	/* Rounds after which nothing is left of what its values were; 0: there
	 * are none, or one of them may be of all rounds. */
	uint32_t renewals;
	uint32_t n;
	struct prog_carried carried[PROG_CARRIED_MAX];
	/* Stores that do the same to a whole number in memory. */
	uint32_t nmovers;
	const struct prog_instr *movers[PROG_MOVERS_MAX];
};

/* Of a loop of f's, by its steps' slot. */
void prog_carried_find(const struct program *p, const struct prog_function *f,
    int32_t counts, struct prog_loop *ret);

#endif
