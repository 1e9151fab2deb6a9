/*
 * One kernel and its mutants before the witness suite and the verifier.
 *
 *	does not build, or fails smoke			loud
 *	agrees with the original on every witness	equivalent
 *	differs in bits, within the bound everywhere	rounding
 *	passes smoke, wrong on a witness		silent: killed or
 *							survived
 *
 * Equivalent and rounding mutants meet the verifier too: one that it refuses
 * shows a gap in the witness suite.
 */
#ifndef TESTS_PROVING_SORTING_H
#define TESTS_PROVING_SORTING_H

#include "lab/lab.h"
#include "tests/proving/corpus.h"

enum fate {
	FATE_GOOD,    /* a known-good kernel, verified */
	FATE_REFUSED, /* a known-good kernel, refused */
	FATE_LOUD,
	FATE_EQUIVALENT,
	FATE_ROUNDING,
	FATE_KILLED,
	FATE_SURVIVED,
	FATE_NFATES
};

struct finding {
	uint32_t kernel;
	uint32_t mutant; /* its number; unused for a known-good kernel */
	enum fate fate;
	enum lab_stage killer; /* FATE_KILLED: the stage that refuses it */
	bool sole;             /* no other stage would have */
	bool gap;      /* refused, and nothing tells it from its original */
	bool in_order; /* silent only as long as work items run in order */
	bool kept;     /* agreed wherever its contract says so */
	bool parted;   /* differed on a case that its contract names */
	double ratio;  /* FATE_ROUNDING: the largest error over its bound */
	double ms;
	char breach[64]; /* a case on which it did not; "" */
	char class[24];
	char message[512];
};

struct sorting {
	const struct corpus *corpus;
	const struct mutants *mutants;
	const uint8_t *seed; /* 32 bytes */
	bool sole;           /* ask whether a killer is the only one */
	const bool *judged;  /* by mutant: left out; NULL: none is */
};

/* Tells of the kernel, then of each of its mutants. */
void sorting_kernel(const struct sorting *s, struct lab *lab, size_t kernel,
    void (*tell)(const struct finding *f, void *arg), void *arg);

#endif
