/* Rows that are longer than what a kernel may count to, and those of a size that
 * it may divide by wrongly. */
#ifndef LAB_COVERAGE_LONG_H
#define LAB_COVERAGE_LONG_H

#include "lab/stages/coverage_count.h"

/* All of them, for a program; first: of the trial's. */
void coverage_long(struct trial *t, struct cover *c, enum dtype d, bool first);

#endif
