/*
 * Random values for test cases: the same bits on every machine.
 *
 * The stream of (seed, label) is xoshiro256** started from SHA-256(seed ||
 * label).  A normal deviate is the sum of twelve 16-bit uniforms less its
 * mean, with 32 bits more at its end so that its mantissa is full: integer
 * arithmetic and one rounding, variance 1, at most 6 away, and no libm whose
 * last bit differs between systems.
 */
#ifndef OPS_DRAW_H
#define OPS_DRAW_H

#include "ops/op.h"

struct draw {
	uint64_t s[4];
};

void draw_init(struct draw *d, const uint8_t seed[32], const char *label);
uint64_t draw_bits(struct draw *d);
uint32_t draw_range(struct draw *d, uint32_t min, uint32_t max); /* inclusive */
float draw_normal(struct draw *d);
/* A NaN: of either sign, the default one (x86's has its sign set), one of
 * nothing but ones (as some GPUs make), the smallest signalling one of every
 * storage type, any other that is quiet, or any other that is signalling. */
float draw_nan(struct draw *d);

/*
 * Fills v, (rows, cols) packed, by data class and by what the argument is,
 * each value rounded to the storage type.
 */
void draw_tensor(struct draw *d, const struct op_case *c, enum op_draw draw,
    struct op_extent e, float *v);

/* What of an input is of one class in a mix. */
enum draw_mixing {
	DRAW_MIXES_ROWS,
	DRAW_MIXES_COLUMNS,  /* a matmul's b, which has no row of the output */
	DRAW_MIXES_ELEMENTS, /* of elementwise operators, and of vectors */
};
enum draw_mixing draw_mixes(const struct op *op, size_t arg);

/* The same as draw_tensor() for input arg of a case with a mix. */
void draw_mixed(struct draw *d, const struct op_case *c, const struct op *op,
    size_t arg, struct op_extent e, float *v);

#endif
