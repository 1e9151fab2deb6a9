/*
 * Correct kernels in styles put together at random: the adversary's other
 * half.  A verifier that refuses one of them is wrong about people.
 */
#ifndef TESTS_PROVING_COMPOSE_H
#define TESTS_PROVING_COMPOSE_H

#include "ops/draw.h"
#include "ops/op.h"

/* A kernel file for op; owned. */
char *compose_kernel(const struct op *op, struct draw *d);

#endif
