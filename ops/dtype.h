/*
 * Storage types of tensors and their conversions, bit exact and pure.
 * Stores round to nearest even, keep NaN a NaN, overflow to infinity.
 */
#ifndef OPS_DTYPE_H
#define OPS_DTYPE_H

#include <stddef.h>
#include <stdint.h>

enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_NDTYPES }; /* KF_DTYPE */

const char *dtype_name(enum dtype t); /* "float32", "float16", "bfloat16" */
size_t dtype_bytes(enum dtype t);

uint16_t dtype_f16_from_float(float v);
float dtype_f16_to_float(uint16_t h);
uint16_t dtype_bf16_from_float(float v);
float dtype_bf16_to_float(uint16_t h);

/* v rounded through the storage type and back. */
float dtype_round(enum dtype t, float v);

/* Element i of stored bytes. */
float dtype_load(enum dtype t, const void *p, size_t i);
void dtype_store(enum dtype t, void *p, size_t i, float v);

/* The same for n of them that lie together, at element i. */
void dtype_load_all(enum dtype t, const void *p, size_t i, size_t n,
    float *ret);
void dtype_store_all(enum dtype t, void *p, size_t i, size_t n, const float *v);

/* Half an ulp of the storage type at |y|: 0.5 * 2^(exponent - mantissa),
 * with the subnormal floor; what one rounding at the store may cost. */
double dtype_half_ulp(enum dtype t, double y);

/* The magnitude from which a store gives infinity. */
double dtype_overflow(enum dtype t);

#endif
