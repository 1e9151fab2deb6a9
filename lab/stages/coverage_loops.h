/* How often loops went round, for the report. */
#ifndef LAB_COVERAGE_LOOPS_H
#define LAB_COVERAGE_LOOPS_H

#include "lab/stages/coverage_count.h"

/* Did a loop go round no more than once although it could, in a shape that was
 * found and that no device launches?  Asked of each outcome. */
bool coverage_loop_is_open(const struct cover *c, const struct seek *s,
    size_t point, uint32_t outcome);

/* Adds a program's loops to the report's: those whose rounds sizes, places or
 * data decide. */
void coverage_loops_report(struct trial *t, struct cover *c);

/* Adds to the stage's note how many loops never went round more than once. */
void coverage_loops_note(struct trial *t);

#endif
