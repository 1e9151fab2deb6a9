/*
 * Launches of what no list of shapes and no drawn value is sure to hold: rows
 * of one to four elements with each two of the numbers where arithmetic ends,
 * rows whose halves are huge and opposite, an eps of zero, positions of every
 * size that an int has.
 */
#ifndef LAB_COVERAGE_LANDMARKS_H
#define LAB_COVERAGE_LANDMARKS_H

#include "lab/stages/coverage_count.h"

/* All of them, for a storage type; before the builds. */
void coverage_landmarks(struct trial *t, struct cover *c, enum dtype d);

/* So many rows of so many elements, strides close; of a product's other tensor a
 * dozen columns. */
struct op_shape landmark_shape(const struct op *op, uint32_t rows,
    uint32_t cols);

#endif
