/*
 * Rows that are like themselves but for one element, rows in which one element
 * outweighs the others where a constant of the program points, and rows whose
 * elements lie next to a constant as seen from the first one; rows of which each
 * is far from the one that its group has walked before, or nearly the same.
 */
#ifndef LAB_COVERAGE_STRAYS_H
#define LAB_COVERAGE_STRAYS_H

#include "lab/stages/coverage_count.h"

struct draw;

/* All of them, for a storage type; before the builds. */
void coverage_strays(struct trial *t, struct cover *c, enum dtype d);

/* In each row of a case one element that outweighs the others, each in the next
 * part of its row. */
void coverage_plant_peaks(const struct trial *t, struct trial_case *tc);

/* Weights and biases that are alike but for one. */
void coverage_alike_weights(struct trial_case *tc, struct draw *dice);

#endif
