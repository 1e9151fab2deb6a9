/*
 * For the readers of candidates only: what each of them has, whichever way it
 * came.
 */
#ifndef CLTEXT_CANDIDATE_CHECK_H
#define CLTEXT_CANDIDATE_CHECK_H

#include "cltext/candidate.h"

/* nlocal: local sizes found.  ERR_SYNTAX with what is missing or odd. */
enum err candidate_check(const struct candidate *c, size_t nlocal,
    struct why *why);

#endif
