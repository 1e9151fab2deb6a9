/* The machine's insides, for its files and the built-in functions. */
#ifndef LAB_PROBE_MACHINE_PRIV_H
#define LAB_PROBE_MACHINE_PRIV_H

#include "lab/probe/machine.h"

#define MACHINE_REGIONS_MAX (PROG_ARGUMENT + MACHINE_ARGS_MAX)
#define MACHINE_DEPTH_MAX   64
#define MACHINE_COPIES_MAX  64
#define MACHINE_NEST_MAX    4
/* Bytes of memory that a shadow stands for: sixteen bits are the smallest
 * element of a tensor.  See also struct machine. */
#define GRANULE 2

struct machine_region {
	unsigned char *base;
	uint64_t bytes;
	bool writable;
	struct sparse *sparse; /* instead of base, or NULL */
};

/* Who touched a granule of memory last; 0: nobody.  Of local memory and of
 * the output within a group, by item and by the number of barriers before. */
struct machine_shadow {
	uint32_t writer, reader;               /* item + 1 */
	uint32_t written, read;                /* epoch */
	bool is_atomic;                        /* the write */
	uint32_t writing_group, reading_group; /* + 1 */
};

struct machine_frame {
	const struct prog_function *f;
	uint32_t pc; /* where to go on */
	uint64_t slots_at, bytes_at;
	int32_t dst; /* of the caller: where the result goes */
	uint32_t lanes;
};

enum item_state { ITEM_RUNS, ITEM_WAITS, ITEM_ENDED };

/* Before an atomic, of which memory. */
enum machine_pause { PAUSE_NONE, PAUSE_LOCAL, PAUSE_GLOBAL };

struct machine_item {
	enum item_state state;
	uint32_t barrier; /* where it waits: a line's instruction */
	uint32_t fences;
	uint32_t ncopies; /* asynchronous copies that it has asked for */
	bool has_paused;  /* before the instruction under way */
	/* What it has last looked at by an atomic that changed nothing. */
	uint64_t looked_at, looked_value;
	uint32_t looked_epoch;
	/* Of a launch that leaps: its notes, and counts of what it did. */
	struct leap *leaps[MACHINE_NEST_MAX]; /* owned */
	uint32_t nleaps, barriers;
	/* Bytes of the output; stores to memory of its or the group's own. */
	uint64_t written, privately;
	uint32_t depth;
	struct machine_frame frames[MACHINE_DEPTH_MAX];
	uint64_t *slots;        /* owned by the machine */
	unsigned char *private; /* owned by the machine */
	uint64_t id[3];         /* local */
};

struct machine_copy {
	uint64_t to, from, count, to_stride, from_stride;
	uint64_t event;
	uint32_t bytes;
	bool is_pending;
};

struct machine {
	const struct program *p;
	const struct prog_function *kernel;
	const struct machine_launch *l;
	uint32_t *counters;
	struct machine_region regions[MACHINE_REGIONS_MAX];
	struct machine_shadow *shadows[MACHINE_REGIONS_MAX]; /* NULL: none */
	uint64_t granule; /* of these: 1 where the program handles bytes */
	struct machine_item *items;
	uint32_t nitems;
	struct machine_item *item; /* that runs */
	uint32_t current;          /* its number */
	uint32_t epoch[2];         /* of local, of global memory */
	enum machine_pause pause;  /* why the item stopped */
	uint64_t group[3], ngroups[3], group_number;
	uint64_t next_group; /* place in the list of groups to run */
	bool is_between;     /* a group runs while another one pauses */
	uint64_t groups_run;
	struct machine_copy copies[MACHINE_COPIES_MAX];
	uint32_t ncopies, npending;
	uint32_t event_bytes;
	uint64_t left;               /* of the budget */
	struct machine_loops *leaps; /* owned; NULL: no loop is leapt over */
	bool is_inexact;
	uint64_t skipped; /* bytes of the output, in leaps */
	uint64_t most;    /* bytes of it that a group has written */
	uint64_t dice;
	struct machine_finding finding;
	bool stop;
	bool is_atomic; /* the access under way */
	bool is_copy;   /* it is the whole group's: nobody races with it */
	uint32_t line;  /* of the instruction under way */
	const struct prog_instr *instr;
};

uint64_t machine_dice(struct machine *m);
void machine_find(struct machine *m, const char *class, const char *what);

/* Memory, checked and noted: a finding sets m->stop.  A race with the same
 * value is none. */
void machine_store(struct machine *m, uint64_t pointer, const void *v,
    uint64_t n);
/* false: m->stop. */
bool machine_load(struct machine *m, uint64_t pointer, void *v, uint64_t n);

static inline void
machine_count(struct machine *m, uint32_t point, uint32_t outcome)
{
	if (point != PROG_NO_POINT)
		m->counters[m->p->points[point].first + outcome]++;
}

/* What an outcome is taken for, which is what it is unless it is given. */
static inline uint32_t
machine_decide(const struct machine *m, uint32_t point, uint32_t outcome)
{
	for (uint32_t i = 0; i < m->l->ngiven; i++)
		if (m->l->given[i].point == point)
			return m->l->given[i].outcome;
	return outcome;
}

/* Runs the current item up to its next barrier or its end. */
void machine_step(struct machine *m);

#endif
