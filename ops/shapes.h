/*
 * Cases that no operator's file lists: shapes made for any operator from the
 * scalars that it names.  Storage, data and reals are the smoke case's.
 */
#ifndef OPS_SHAPES_H
#define OPS_SHAPES_H

#include "ops/op.h"

/* Every dimension and every stride from the seed. */
void shapes_undisclosed(const struct op *op, const uint8_t seed[32],
    struct op_case *ret);

/* Tiny, ragged and strided: for a simulator of single instructions. */
void shapes_tiny(const struct op *op, struct op_case *ret);

#endif
