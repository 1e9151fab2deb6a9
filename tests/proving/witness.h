/*
 * The witness suite: cases of our own that tell whether a mutant differs from
 * its original at all.  Independent of the operators' holdouts, and larger:
 * what it calls equivalent is not counted against the verifier, so it must
 * miss nothing.  It may be slow; the verifier may not.
 */
#ifndef TESTS_PROVING_WITNESS_H
#define TESTS_PROVING_WITNESS_H

#include "lab/lab.h"

/* An operator's own holdouts and the witness cases behind them: one build
 * serves both. */
struct witness {
	struct op op; /* holds cases */
	struct op_case cases[LAB_CASES_MAX];
	size_t nholdouts; /* the operator's own, which come first */
};
void witness_init(struct witness *w, const struct op *op);

/* The number of a case, holdouts first; SIZE_MAX: the smoke case. */
size_t witness_number(const struct witness *w, const struct op_case *c);

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
