/* Sums as float32 does them, in the usual orders: see ops/error_spread.h. */
#ifndef OPS_FLOAT32_SUMS_H
#define OPS_FLOAT32_SUMS_H

#include "ops/op.h"

/* Of n terms; v is overwritten. */
float rounded_sum(enum op_order o, float *v, size_t n);

/* exp(x), by way of exp2() in one of the orders: its argument's rounding is a
 * legal error. */
float rounded_exp(enum op_order o, float x);

/* The power of two of which n values, step apart, all are multiples. */
int sum_grain(const float *v, size_t n, size_t step);

/* No order of a sum of multiples of 2^grain, of so much without their signs,
 * rounds anywhere. */
bool sum_is_exact(double abs_sum, int grain);

#endif
