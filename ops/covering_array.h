/*
 * Holdouts as a covering array: verification.md section 3a.
 *
 * Mistakes live in pairs ("a pitch, and 16-bit storage"), so the cases of a
 * verdict are made to cover, for each storage type, every pair of classes of
 * the operator's factors: sizes, pitches, where buffers lie, eps, base,
 * positions, and the values of each input.  Sizes, places and values come from
 * the seed.  The values of a case differ from row to row (ops/op.h, op_mix),
 * so that hundreds of pairs need no hundreds of launches.
 *
 * A pair counts only where a launch shows it: a size of 0 leaves nothing of the
 * other factors to see, and a pitch does nothing to a single row.
 *
 * A pair that would not be cheap (more than some 100,000 elements) is no pair;
 * heavy classes (more than 65,536 rows or columns, or such a pitch) are met
 * with each storage type, and their pairs once, in whichever type comes first;
 * more than 2^20 rows is one case.  A launch whose work items are too many for
 * its worth is left out, and is counted.
 */
#ifndef OPS_COVERING_ARRAY_H
#define OPS_COVERING_ARRAY_H

#include "ops/op.h"

/* A product has 370 to 583, the others at most 400 or so. */
#define ARRAY_CASES_MAX   800
#define ARRAY_FACTORS_MAX 16
#define ARRAY_CLASSES_MAX 24

/* A factor of an operator, as `kernelforge ops OP` lists it. */
struct array_factor {
	char name[32]; /* "columns", "pitch of x", "values of weight" */
	size_t nclasses;
	const char *classes[ARRAY_CLASSES_MAX];
};
/* *ret: ARRAY_FACTORS_MAX of them; returns how many the operator has. */
size_t array_factors(const struct op *op, struct array_factor *ret);

/* What was covered. */
struct array_account {
	uint32_t cases;
	uint32_t pairs, pairs_met;     /* of classes of two factors */
	uint32_t triples, triples_met; /* of such a pair and a storage type */
	uint32_t too_long; /* cases that had too many work items, or no room */
};

struct array {
	struct op_case *cases; /* owned */
	size_t ncases;
	struct array_account account;
	struct op_mix *mixes; /* owned */
	uint8_t *triples; /* owned: which are wanted, and which of those met */
	size_t ntriples;
};

/* How many work items a launch of this shape has; NULL in array_new(): do not
 * count. */
typedef uint64_t array_items_fn(const struct op_shape *s, void *arg);

struct array *array_new(const struct op *op, const uint8_t seed[32],
    array_items_fn *items, void *arg);
void array_free(struct array *a); /* NULL-safe */

/* Adds what one array met to another one of the same operator: the triples
 * that several seeds cover together stand in its account. */
void array_merge(struct array *into, const struct array *from);

#endif
