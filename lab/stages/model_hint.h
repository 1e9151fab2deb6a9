/*
 * What a model may be told of a verdict, whichever way it asks.
 *
 * A kernel sees the hidden cases and may write what it sees into its output:
 * whatever is said of a difference, of a count or of the second failing case
 * carries it out, and a model that may ask again reads the holdouts piece by
 * piece.  So there is one first failing case, there are powers of ten of one
 * digit, and the words of a stage that ran the kernel end at the class.  People
 * with the file in hand are told all of it (lab_report.h).
 */
#ifndef LAB_MODEL_HINT_H
#define LAB_MODEL_HINT_H

#include "lab/stages/lab_report.h"

/* The first case that failed, borrowed; NULL: none did. */
const struct lab_case_result *model_hint_case(const struct lab_report *r);

/* The message, owned: whole where it speaks of the text alone; else up to the
 * class, and the line of the source if there is one. */
char *model_hint_words(const struct lab_report *r);

/* The nearest power of ten from 10^-9 to 10^9; 0 and what is not finite stay.
 */
double model_hint_power_of_ten(double v);

/* To a power of two: a group as long as a hidden row would tell it. */
uint64_t model_hint_group(uint32_t items);

#endif
