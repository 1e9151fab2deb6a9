/*
 * Counters in memory: whole numbers of an item's own or of its group's that a
 * loop moves by stores, each round by as much (prog_loop's movers).
 */
#ifndef LAB_PROBE_MACHINE_WORDS_H
#define LAB_PROBE_MACHINE_WORDS_H

#include "lab/probe/machine_priv.h"

#define MACHINE_WORDS_MAX 8

struct machine_word {
	uint64_t pointer;
	uint32_t bits;
	bool is_set; /* by another store as well */
	uint32_t seen;
	uint64_t last, delta;
};

struct machine_words {
	uint32_t n;
	bool is_full; /* there are more: none is told */
	struct machine_word each[MACHINE_WORDS_MAX];
};

/* A store by the item that runs. */
void machine_words_note(struct machine_words *w, uint64_t pointer,
    uint32_t bits, bool is_mover);
/* Notes those of the group among an item's. */
void machine_words_share(struct machine_words *w,
    const struct machine_words *of_group);
/* At a loop's head.  ahead: the rounds by which another item of the group has
 * moved those of the group already. */
void machine_words_look(struct machine *m, struct machine_words *w,
    uint64_t ahead);
/* Does it move, by as much each round? */
bool machine_words_moves(const struct machine_words *w, uint32_t i);
/* Does one move of which that is not known yet? */
bool machine_words_waits(const struct machine_words *w);
/* is_first: of its group; who comes later finds the group's moved. */
void machine_words_leap(struct machine *m, struct machine_words *w,
    uint64_t rounds, bool is_first);

#endif
