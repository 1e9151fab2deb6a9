/* Launches of plain values in the machine: which outcomes they come to. */
#ifndef LAB_COVERAGE_PLAIN_H
#define LAB_COVERAGE_PLAIN_H

#include "lab/stages/coverage_count.h"

#define PLAIN_BUDGET ((uint64_t)60000000) /* instructions of a launch */

bool plain_is(const struct trial_case *tc);

/* Are its rows long, and more than a few?  What a short one alone says of all
 * its elements is mostly true. */
bool plain_is_long(const struct op_instance *in);

/* In the shape of a case, or with more such rows: does a launch of plain values
 * come to an outcome?  counter: its index.  Of one that comes out wrong
 * trial_fail_case() tells, here and below. */
bool plain_takes(struct trial *t, struct cover *c, const struct trial_case *tc,
    uint32_t counter);

/* Does one whose rows are plain but for an element, or for zeros or repeated
 * elements at random?  Then a long row of that kind is judged, too. */
bool plain_takes_but_one(struct trial *t, struct cover *c,
    const struct trial_case *tc, uint32_t counter);

#endif
