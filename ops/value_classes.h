/*
 * Classes of values: what a row, a column or a single element of a tensor is
 * drawn from in the cases of ops/covering_array.h.  A class says what is
 * special; which numbers, and at which places, the stream says.
 */
#ifndef OPS_VALUE_CLASSES_H
#define OPS_VALUE_CLASSES_H

#include "ops/draw.h"

enum values_class {
	VALUES_NORMAL, /* of 24 bits */
	VALUES_INTEGERS,
	VALUES_CONSTANT,
	VALUES_ZEROS,
	VALUES_BOTH_ZEROS,
	VALUES_SUBNORMAL, /* of the storage type */
	VALUES_LARGEST,   /* within a factor of two of the storage type's */
	VALUES_SMALLEST,  /* normal, of the storage type */
	VALUES_WIDE,
	VALUES_SCALED, /* normal times one power of two */
	VALUES_OUTLIER,
	VALUES_OFFSET, /* normal + 1000 */
	VALUES_TIES,   /* few numbers, the largest one several times */
	VALUES_DEEP,   /* all negative, far from zero */
	VALUES_NAN,    /* one among values of any kind, as the next */
	VALUES_NANS,
	VALUES_INF,
	VALUES_NEG_INF,
	VALUES_BOTH_INF,
	VALUES_ALL_NEG_INF,
	VALUES_NCLASSES
};

const char *values_name(enum values_class c);

/* Has it a NaN or an infinity? */
bool values_is_special(enum values_class c);

/* n values at v[0], v[step], ..., each one of the storage type's. */
void values_fill(struct draw *d, enum dtype t, enum values_class c, float *v,
    size_t n, size_t step);

/* A row of n values of any kind with a NaN, or with two special values that are
 * a multiple of lanes or of a power of two apart. */
void values_specials(struct draw *d, enum dtype t, float *v, size_t n,
    size_t lanes);

/* How many of n are special: 1 to n, as often as not a power of two or next to
 * one. */
size_t values_count(struct draw *d, size_t n);

#endif
