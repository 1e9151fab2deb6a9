/*
 * For the readers of candidates only: what each of them has, whichever way it
 * came.
 */
#ifndef CLTEXT_CANDIDATE_CHECK_H
#define CLTEXT_CANDIDATE_CHECK_H

#include "cltext/candidate.h"

/* Where the text begins behind a byte order mark, which editors of some systems
 * put first and no compiler knows.  One: a second is the candidate's own. */
const char *candidate_behind_mark(const char *text, size_t len);

/* nlocal: local sizes found.  ERR_SYNTAX with what is missing or odd. */
enum err candidate_check(const struct candidate *c, size_t nlocal,
    struct why *why);

#endif
