/*
 * Cases that no operator's file lists: shapes made for any operator from the
 * scalars that it names.  Storage, data and reals are the smoke case's.
 */
#ifndef OPS_DRAWN_SHAPES_H
#define OPS_DRAWN_SHAPES_H

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

/*
 * Shapes that no device here could hold, for a machine that makes of a buffer
 * what is touched: one dimension, all strides, or the two dimensions of the
 * output are far, the rest is small and odd.  Two dimensions whose product is
 * 2^32 are met too: it is 0 in 32 bits.
 */
#define SHAPES_FAR_BITS_MAX 31
#define SHAPES_FAR_END      32 /* of bits: next to 2^31 itself */
#define SHAPES_NFAR         ((size_t)19)

/* Far: a little below 2^bits, so that no mask of fewer bits reaches its end.
 * *ret_name: "rows", "strides", ...  false: the operator has no such shape. */
bool shapes_far(const struct op *op, size_t i, uint32_t bits,
    const uint8_t seed[32], struct op_shape *ret, const char **ret_name);

#endif
