/*
 * The machine: runs a program's kernel on buffers, work item by work item, and
 * sees everything (races and bounds: machine_races.c).
 *
 *	counts	every outcome of every point of coverage
 *	bounds	of every access: buffers, local memory, a work item's own
 *	races	two work items of a group between two barriers, or of two
 *		groups, at the same bytes, one of them writing
 *	order	of work items between barriers: as they come, backwards, or
 *		shuffled: no answer may depend on it
 *
 * A group's items run one after the other up to the next barrier; unless they
 * run in order, they also pause before atomics, so that others come between two
 * of one item, other groups too where memory is global.  What was
 * never written holds a pattern that the caller names.  Nothing in a program
 * can make it read or write outside of what it was given.
 */
#ifndef LAB_PROBE_MACHINE_H
#define LAB_PROBE_MACHINE_H

#include "lab/probe/program.h"
#include "lab/probe/sparse_memory.h"

#define MACHINE_ARGS_MAX  16
#define MACHINE_ITEMS_MAX 4096

/* What a launch's fill may be: no number, and one of which nobody is aware. */
#define MACHINE_FILL_NAN    0x7fc5a5a5U
#define MACHINE_FILL_FINITE 0x40490fdbU

enum machine_order { MACHINE_IN_ORDER, MACHINE_BACKWARDS, MACHINE_SHUFFLED };

enum machine_end {
	MACHINE_DONE,
	MACHINE_FOUND,  /* see finding */
	MACHINE_BUDGET, /* more instructions than it was given */
	MACHINE_UNABLE, /* more memory than is given to it */
};

/* The worst thing that was seen. */
struct machine_finding {
	const char *class; /* "out_of_bounds", "race", ...; NULL: nothing */
	const char *what;
	uint32_t line;
	uint32_t arg; /* the buffer's, for bounds; else UINT32_MAX */
};

/* A buffer, one that is too large to be had, or a number's bits. */
struct machine_arg {
	unsigned char *data; /* borrowed; NULL: one of the others */
	const struct sparse_layout *sparse; /* borrowed; NULL: a number */
	uint64_t bytes;
	bool writable;
	uint64_t number;
};

/* An element of a sparse output that was written, and what it holds. */
struct machine_written {
	uint64_t element;
	float value;
	uint32_t is_whole; /* 0: only a part of it */
};

struct machine_launch {
	uint32_t ndims;
	uint64_t global[3], local[3];
	struct machine_arg args[MACHINE_ARGS_MAX];
	uint32_t nargs;
	enum machine_order order;
	uint64_t seed;     /* of shuffles and of errors */
	uint32_t fill;     /* pattern of what was never written */
	bool is_pessimist; /* built-ins err, see builtin_error.c */
	uint64_t budget;   /* instructions */
	bool leaps;        /* over long loops: see machine_loops.h */
	bool is_hasty;     /* over short ones as well */
	const struct prog_given *given; /* borrowed: ngiven outcomes */
	uint32_t ngiven;
	/* Groups to run, by number; NULL: all. */
	const uint64_t *groups;
	uint64_t ngroups;
	/* Room for what is written to a sparse output, or NULL. */
	struct machine_written *written;
	uint64_t written_max;
};

struct machine_result {
	struct machine_finding finding;
	uint64_t instructions;
	uint64_t groups;      /* that came to their end */
	uint64_t nwritten;    /* elements of a sparse output, all of them */
	uint64_t last;        /* of these, listed or not; 0: none */
	uint64_t last_column; /* of their rows */
	uint64_t skipped;     /* bytes that were not, because of leaps */
	uint64_t most;        /* bytes of one group, leaps' as well */
	bool is_inexact;      /* values mean nothing behind a leap */
};

/*
 * counters: p->ncounters of them, added to.  Groups run in the order given
 * (backwards: from the last one).
 */
enum machine_end machine_run(const struct program *p,
    const struct prog_function *kernel, const struct machine_launch *l,
    uint32_t *counters, struct machine_result *ret);

#endif
