/*
 * Rows that follow a pattern: a kernel with a way of its own for such ones
 * (whole numbers, signs, one element that is not zero, even steps) is judged
 * there, and random numbers never meet it.
 */
#ifndef OPS_ROW_PATTERNS_H
#define OPS_ROW_PATTERNS_H

#include "ops/draw.h"

enum row_pattern {
	ROW_LEVEL,     /* one number */
	ROW_SIGNS,     /* it and its negative, at random */
	ROW_TURNS,     /* it and its negative, in turn */
	ROW_BITS,      /* zero or it */
	ROW_ONE,       /* it once, zeros */
	ROW_TWO,       /* it twice, zeros */
	ROW_RISES,     /* by it from zero on */
	ROW_FALLS,     /* by it to zero */
	ROW_STAIRS,    /* up by it every sixteen */
	ROW_PERIOD,    /* so many numbers again and again */
	ROW_MIRROR,    /* the same from behind */
	ROW_FEW,       /* three numbers, at random */
	ROW_WHOLE,     /* whole numbers of either sign up to it, no zero */
	ROW_FIXED,     /* 256ths of either sign up to it */
	ROW_POWERS,    /* powers of two about it, either sign */
	ROW_HALF_ZERO, /* two of four are zeros */
	ROW_QUARTER,   /* one of four is not zero */
	ROW_SMALL,     /* one and two, of either sign */
	ROW_PAIRS,     /* two alike, then others */
	ROW_GROUPS,    /* 64 alike, and so 32 and 16, then others */
	ROW_HALVES,    /* zeros, from the middle on it */
	ROW_AGAINST,   /* the second half is the first from behind, negated */
	ROW_OCTAVES,   /* twice the one before */
	ROW_CROSSES,   /* by it, through zero near the end */
	ROW_FIRST, /* halves of it, of either sign, behind a thousand times it */
	ROW_SQUARES, /* by steps that grow by it */
	ROW_PADDED,  /* whole numbers, from some place on zeros */
	ROW_MASKED,  /* the same, from there on negative infinities */
	ROW_NPATTERNS
};

struct row_line {
	enum row_pattern pattern;
	float level;     /* more than 0 */
	uint32_t period; /* of ROW_PERIOD; 0: a drawn one */
};
#define ROW_PERIOD_MOST 64

/* n values at v[0], v[step], ..., each one of the storage type's. */
void row_fill(struct draw *d, enum dtype t, const struct row_line *l, float *v,
    size_t n, size_t step);

#endif
