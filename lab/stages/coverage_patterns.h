/*
 * Rows that follow a pattern, short and long: what has a way of its own for
 * whole numbers, signs, steps or a single element is judged on it, and what is
 * summed as a whole number grows out of its bits.
 */
#ifndef LAB_COVERAGE_PATTERNS_H
#define LAB_COVERAGE_PATTERNS_H

#include "lab/stages/coverage_count.h"

struct draw;

/* For tensors that are no pairs of a rope.  Before the builds. */
void coverage_patterns(struct trial *t, struct cover *c, enum dtype d);

/* A row of each pattern of finite numbers, in all inputs alike, and positions in
 * order; or one number everywhere, and one position. */
void coverage_patterns_fill(const struct cover *c, struct op_instance *in,
    bool is_level, struct draw *dice);

#endif
