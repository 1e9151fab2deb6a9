/*
 * Values that lie near each other: what a test for "the same" with a tolerance,
 * a key that is cut or a few moments take for equal, and is not.
 */
#ifndef OPS_NEAR_VALUES_H
#define OPS_NEAR_VALUES_H

#include "ops/draw.h"

enum near_way {
	NEAR_NOISE,     /* on both sides */
	NEAR_ABOVE,     /* on one */
	NEAR_ALTERNATE, /* above and below in turn: two make up for each other */
	NEAR_THREES,    /* above, below, on it */
	NEAR_STEPS,     /* evenly on, exact where the storage type lets it */
	NEAR_NWAYS
};

struct near_values {
	float around, delta; /* of around; NEAR_STEPS: a number of its own */
	enum near_way way;
};

/* Any way, around one or around anything up to where exponentials end, from
 * the storage type's last places to an eighth apart. */
struct near_values near_draw(struct draw *d, enum dtype t);

/* n values at v[0], v[step], ..., each one of the storage type's. */
void near_fill(struct draw *d, enum dtype t, const struct near_values *near,
    float *v, size_t n, size_t step);

/* The same values as at from, each moved by delta of itself or less. */
void near_copy(struct draw *d, enum dtype t, float delta, const float *from,
    float *v, size_t n, size_t step);

/* Two rows that are alike in their sums, their sums of powers up to the fifth,
 * of magnitudes too, their largest element and their ends, and differ
 * otherwise: all they are kept by where nobody looks at each element.  The same
 * in another order, if they are too short for that. */
void near_twins(struct draw *d, enum dtype t, float *one, float *other,
    size_t n);

#endif
