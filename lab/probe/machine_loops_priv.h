/* What the files that leap over loops share. */
#ifndef LAB_PROBE_MACHINE_LOOPS_PRIV_H
#define LAB_PROBE_MACHINE_LOOPS_PRIV_H

#include "lab/probe/machine_loops.h"
#include "lab/probe/machine_words.h"
#include "lab/probe/program_carried.h"

#define COMPARES_MAX 24
#define ROUNDS_MIN   ((int64_t)4096) /* fewer are run */
#define FAR          INT64_MAX

/* Of a queue: what an atomic has found, and adds. */
struct machine_ticket {
	uint64_t pointer; /* 0: none */
	uint64_t number, step;
	uint32_t bits;
};

struct compare {
	const struct prog_instr *i;
	uint32_t bits, predicate;
	uint64_t a, b, da, db;
	uint64_t round;
	uint32_t seen; /* in rounds behind each other, alike */
	/* By how much its sides move a ticket; seen so in rounds. */
	uint64_t ticket;
	int64_t slope_a, slope_b;
	uint32_t seen_tickets;
};

struct leap {
	const struct prog_loop *loop;
	uint32_t depth;
	uint64_t next;  /* the n that is expected */
	uint64_t round; /* of all that it has noted */
	uint32_t heads, leaps;
	uint64_t rounds; /* those leapt over as well */
	bool is_steady;
	uint64_t last[PROG_CARRIED_MAX], delta[PROG_CARRIED_MAX];
	uint32_t barriers;
	uint64_t written, privately; /* up to the last head */
	struct compare compares[COMPARES_MAX];
	uint32_t ncompares;
	struct machine_words words;
	struct machine_ticket ticket; /* the last one it has drawn */
	uint32_t unheard; /* rounds to come in which nothing is written */
};

/* What the items of a group have agreed upon. */
struct machine_agreed {
	const struct prog_loop *loop;
	uint64_t n, group, rounds;
	uint32_t barriers;
};

struct machine_loops {
	struct prog_loop **loops; /* owned */
	size_t nloops;
	struct machine_agreed agreed[MACHINE_NEST_MAX];
	size_t nagreed;
	/* Of the group under way: what its items move in a loop. */
	struct {
		const struct prog_loop *loop;
		uint64_t group;
		struct machine_words words;
	} shared[MACHINE_NEST_MAX];
	size_t nshared;
	/* Tickets of the group's queue that were leapt over, since an item has
	 * entered the loop. */
	uint64_t queue_group, tickets;
};

/* Rounds until a number of so many bits passes one of their ends, of those
 * with a sign and without. */
int64_t machine_loops_until_wrap(uint64_t v, uint64_t delta, uint32_t bits);
/* Rounds, from when it was noted, until a comparison comes out otherwise. */
int64_t machine_loops_until_flip(const struct compare *c);

/* ---- queues (machine_queue.c) */

/* When an item compares: how do the sides move with its tickets? */
void machine_queue_note(struct compare *c, const struct leap *t, uint64_t a,
    uint64_t b);
/* An item has come to a loop anew. */
void machine_queue_enter(struct machine *m, const struct prog_loop *loop);
/* Where tickets alone tell an item what to do, others are taken to have done
 * many of them. */
void machine_queue_leap(struct machine *m, struct leap *t);

#endif
