/* Rows that are longer than what a kernel may count to, and those of a size that
 * it may divide by wrongly. */
#ifndef LAB_COVERAGE_LONG_H
#define LAB_COVERAGE_LONG_H

#include "lab/stages/coverage_count.h"

/* A launch that was sought, unless each of more than some thousand work items
 * would walk a row of it, or its inputs are more than a child holds; NULL then. */
struct trial_case *coverage_long_launch(struct trial *t, struct cover *c,
    enum dtype d, const struct op_shape *s, enum op_data data);

/* All of them, for a program; first: of the trial's. */
void coverage_long(struct trial *t, struct cover *c, enum dtype d, bool first);

#endif
