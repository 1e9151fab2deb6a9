/* What the files share that look at what a loop carries. */
#ifndef LAB_PROBE_PROGRAM_CARRIED_PRIV_H
#define LAB_PROBE_PROGRAM_CARRIED_PRIV_H

#include "lab/probe/condition_priv.h"
#include "lab/probe/program_carried.h"

struct carried_look {
	const struct program *p;
	const struct prog_function *f;
	struct prog_loop *loop;
	struct cond_function defs; /* owned */
	size_t words;              /* of a set of slots */
	uint64_t *live;            /* owned: at each block's beginning */
	uint64_t *made;            /* owned: in the body */
	bool *in;                  /* owned: the body's blocks */
	uint32_t head;
};

/* Sets of slots. */
void carried_add(uint64_t *set, const struct carried_look *l, int32_t slot,
    uint32_t n);
bool carried_has(const uint64_t *set, int32_t slot);

/* Adds the slots that an instruction takes. */
void carried_add_uses(const struct carried_look *l, const struct prog_instr *i,
    uint64_t *set);

/* struct prog_loop's renewals (program_renewed.c). */
uint32_t carried_renewals(const struct carried_look *l);

#endif
