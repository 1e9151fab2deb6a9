/* Where numbers that values make pass zero. */
#ifndef LAB_PROBE_CONDITION_ROOTS_H
#define LAB_PROBE_CONDITION_ROOTS_H

#include "lab/probe/condition.h"

/* Of the program's sums, the last ones of the text first: what the unknown is
 * where one of them changes its sign; at most max.  fixed: by argument, what is
 * read from that tensor, NAN where it is the unknown. */
size_t cond_roots(const struct cond *c, const struct cond_place *at,
    const double *fixed, double *out, size_t max);

#endif
