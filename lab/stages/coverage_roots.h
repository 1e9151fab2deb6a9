/* Launches where numbers that values make pass zero, see condition_roots.h. */
#ifndef LAB_COVERAGE_ROOTS_H
#define LAB_COVERAGE_ROOTS_H

#include "lab/stages/coverage_count.h"

void coverage_roots(struct trial *t, struct cover *c, enum dtype d);

#endif
