/*
 * The plain kernel of an operator: what speed-ups are measured against.
 *
 * kernels/plain/OP.cl is what a careful person writes first: one work item an
 * element or a row, no tricks.  The texts are compiled into the program, so
 * that a measurement means the same wherever the program was copied to.
 */
#ifndef LAB_PLAIN_KERNEL_H
#define LAB_PLAIN_KERNEL_H

#include "base/err.h"
#include "cltext/candidate.h"
#include "ops/op.h"

/* Parsed; ERR_NOTFOUND: op has none.  candidate_done() frees it. */
enum err plain_candidate(const struct op *op, struct candidate *ret,
    struct why *why);

#endif
