/*
 * Cases that no operator's file lists: shapes made for any operator from the
 * scalars that it names.  Storage, data and reals are the smoke case's.
 */
#ifndef OPS_SHAPES_H
#define OPS_SHAPES_H

#include "ops/op.h"

/* Where a kernel may fork: it meets each kind of shape. */
enum shapes_class {
	SHAPES_ANY,     /* every magnitude, every stride */
	SHAPES_ALIGNED, /* multiples of 16 and 64, rows that lie close */
	SHAPES_ODD,     /* small and odd, with pitches */
	SHAPES_NCLASSES
};

/* Every dimension and every stride from the seed. */
void shapes_undisclosed(const struct op *op, enum shapes_class class,
    const uint8_t seed[32], struct op_case *ret);

/* What a simulated launch must be longer than, twice. */
struct shapes_rounds {
	uint32_t tile;   /* columns, or terms of a sum, that are one round */
	uint32_t groups; /* which walk over the rows; 0: they do not */
};

/* Tiny, ragged and strided, from the seed: for a simulator of single
 * instructions. */
void shapes_tiny(const struct op *op, const uint8_t seed[32],
    const struct shapes_rounds *over, struct op_case *ret);

#endif
