/* Rows and tensors of sixteen million elements, where a program keeps something
 * that may be too small for them. */
#ifndef LAB_COVERAGE_VAST_H
#define LAB_COVERAGE_VAST_H

#include "lab/stages/coverage_count.h"

/* All of them; before the builds. */
void coverage_vast(struct trial *t, struct cover *c, enum dtype d);

#endif
