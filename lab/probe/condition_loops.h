/* Loops, for condition.c: their tests, and what these are made of. */
#ifndef LAB_PROBE_CONDITION_LOOPS_H
#define LAB_PROBE_CONDITION_LOOPS_H

#include "lab/probe/condition_priv.h"

#define COND_CARRIED_MAX 4
#define COND_BOUND_MAX   16

/* A variable that a loop's test is made of: what it is before the first round,
 * and what a round makes of it. */
struct cond_carried {
	int32_t slot, first, next;
	bool is_moved; /* by a round */
	bool is_early; /* before the round's test */
};

struct cond_loop {
	uint32_t point, f, head;
	bool *in;               /* owned: its blocks */
	uint32_t blocks, exits; /* how many */
	uint32_t looks;         /* that have been taken at its test */
	/* The test that each round comes by, its block, and what it asks. */
	bool has_test, leaves_if;
	bool is_before; /* it is asked before a round has done anything */
	uint32_t test;
	int32_t asks;
	bool is_told; /* by sizes and places, as far as can be seen here */
	struct cond_carried carried[COND_CARRIED_MAX];
	size_t ncarried;
	const struct cond_loop *around;
};

void cond_find_loops(struct cond *c);
void cond_free_loops(struct cond *c);
const struct cond_loop *cond_loop_of(const struct cond *c, size_t point);

/* 0, 1, 2 and more, or COND_UNKNOWN.  at: gets bound, which has COND_BOUND_MAX
 * places, to go on with. */
int cond_rounds(const struct cond *c, const struct cond_loop *l,
    struct cond_place *at, struct cond_bound *bound);

#endif
