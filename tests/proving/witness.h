/*
 * The witness suite: cases of our own that tell whether a mutant differs from
 * its original at all.  Independent of the operators' holdouts, and larger:
 * what it calls equivalent is not counted against the verifier, so it must
 * miss nothing.  It may be slow; the verifier may not.
 */
#ifndef TESTS_PROVING_WITNESS_H
#define TESTS_PROVING_WITNESS_H

#include "ops/op.h"

#define WITNESS_CASES_MAX 40

/* op with the witness cases in place of its holdouts. */
void witness_op(const struct op *op, struct op *ret);

/* The lengths by which contracts speak of a case's shape. */
struct witness_sizes {
	uint64_t rows;   /* of the output */
	uint64_t length; /* cols, k or dim: what a row's work runs over */
	uint64_t width;  /* columns of the output */
	bool contiguous; /* every stride is the number of columns */
};
void witness_sizes(const struct op *op, const struct op_shape *s,
    struct witness_sizes *ret);

/* A kernel's text with the work items of a group numbered backwards: what
 * leans on their order breaks.  Owned. */
char *witness_reverse(const char *source);

#endif
