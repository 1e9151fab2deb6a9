/*
 * Shortcuts: where values choose between two ways, rows that were made for it
 * alone take one of them, and are right without it.
 *
 * Such a way is judged on the rows that somebody has thought of, and nobody
 * knows of others that choose it: "a row that reads the same backwards" is
 * right in each that the lab makes, and wrong in one that it does not.  As
 * nothing asks for it but speed, it is not proved, and the verdict says so.
 */
#ifndef LAB_COVERAGE_SHORTCUTS_H
#define LAB_COVERAGE_SHORTCUTS_H

#include "lab/stages/coverage_count.h"

/* What a launch took that was judged. */
void shortcuts_note(struct cover *c, const struct trial_case *tc,
    const uint32_t *counters);

/* Looks for them, when all launches have been judged.  false: trial_fail() was
 * called, for a launch of its own came out wrong. */
bool shortcuts_look(struct trial *t, struct cover *c);
bool shortcuts_is(const struct cover *c, size_t point, uint32_t outcome);

#endif
