/*
 * How large a launch is, the candidate says itself, in the expressions of its
 * header: where a min or a max there goes one way alone in all judged
 * launches, a quotient is always 0 or a remainder never, as little is known of
 * the other way as of code that never ran.
 */
#ifndef LAB_HEADER_CHOICES_H
#define LAB_HEADER_CHOICES_H

#include "lab/stages/coverage_count.h"

/* Adds a case for each way that no case goes; before the builds. */
void header_choices_seek(struct trial *t, struct cover *c, enum dtype d);
/* Adds the ways to the report's. */
void header_choices_report(struct trial *t);

#endif
