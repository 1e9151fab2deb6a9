/*
 * Long loops are leapt over.
 *
 * Where a launch is far out (machine_launch's leaps), a loop may go round 2^31
 * times.  Three rounds tell by how much each of its counters moves a round, and
 * each comparison's operands; exact arithmetic then tells in which round the
 * first comparison comes out otherwise or the first counter passes an end of
 * its width.  Up to shortly before it all rounds are alike: the counters are
 * put there, and the rounds around it are run as they are.  A leap is broken
 * once in the middle, at random, and where a counter's bits are all ones.
 *
 * What a loop sums up is not known behind a leap: is_inexact says so, and
 * values must not be judged then.  What each round makes anew for the next is
 * known behind one more, or two: they are run without a word to the tensors.
 * Where a loop has barriers, all items leap alike, or the launch is given up.
 * A loop that only its counters end, and that has gone through all that these
 * can be, never ends.
 */
#ifndef LAB_PROBE_MACHINE_LOOPS_H
#define LAB_PROBE_MACHINE_LOOPS_H

#include "lab/probe/machine_priv.h"

void machine_loops_begin(struct machine *m);
void machine_loops_done(struct machine *m);
/* At a loop's head, for the n-th time again. */
void machine_loops_again(struct machine *m, int32_t counts, uint64_t n,
    uint64_t *slots);
void machine_loops_left(struct machine *m, int32_t counts);
/* A comparison of whole numbers. */
void machine_loops_compare(struct machine *m, const struct prog_instr *i,
    uint32_t bits, uint32_t predicate, uint64_t a, uint64_t b);
/* A store of a whole number, where it lies in memory. */
void machine_loops_store(struct machine *m, const struct prog_instr *i,
    uint64_t pointer);
/* An atomic has found a number in local memory, and added a step to it. */
void machine_loops_ticket(struct machine *m, const struct prog_instr *i,
    uint64_t pointer, uint64_t number, uint64_t step);
/* Does the item make values anew, so that what it writes is none of its? */
bool machine_loops_is_unheard(const struct machine_item *it);
/* What the item has noted; to begin anew with. */
void machine_loops_forget(struct machine *m, struct machine_item *it);

#endif
