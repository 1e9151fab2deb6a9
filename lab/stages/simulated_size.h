/*
 * How large a simulated launch must be for one candidate: so large that the
 * loops in which its groups meet come round three times.
 *
 * A race of a group with itself lies between two rounds: a tile that is
 * filled again before all have read it, a scratch row of the next row.  On a
 * launch of three short rows there is no second round, and nothing to see.
 */
#ifndef LAB_SIMULATED_SIZE_H
#define LAB_SIMULATED_SIZE_H

#include "cltext/candidate.h"
#include "ops/drawn_shapes.h"

/*
 * Tiles are told by the numbers in the text and by the groups' sizes; groups
 * that walk over rows by a launch that does not grow with them.  Bounded:
 * what would take the simulator seconds is taken as far as it goes.
 */
void rounds_of(const struct op *op, const struct candidate *c,
    struct shapes_rounds *ret);

#endif
