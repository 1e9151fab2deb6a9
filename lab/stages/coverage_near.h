/*
 * Values that lie near each other, as near as the program's constants say and
 * as near as the storage type allows.
 */
#ifndef LAB_COVERAGE_NEAR_H
#define LAB_COVERAGE_NEAR_H

#include "lab/stages/coverage_count.h"

#define COVERAGE_NEAR_ROWS 180

/* Of every input but the weights, the last COVERAGE_NEAR_ROWS rows of a case
 * that has so many. */
void coverage_near_rows(struct trial *t, struct cover *c,
    struct trial_case *tc);

#endif
