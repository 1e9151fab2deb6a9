/*
 * Arithmetic that asks a question: what leaves one bit of a number, and an
 * exclusive or with a constant, which is zero where they are equal.
 */
#ifndef LAB_PROBE_PROGRAM_NARROW_H
#define LAB_PROBE_PROGRAM_NARROW_H

#include "lab/probe/program.h"

struct narrow;

/* p is borrowed. */
struct narrow *narrow_new(const struct program *p);
void narrow_free(struct narrow *n);

/* What an instruction of function k leaves where by, one of its operands and
 * a constant, leaves one bit of the other, or one bit's copies: all that may
 * be set; 0: more than that, or nothing. */
uint64_t narrow_bit(const struct narrow *n, uint32_t k,
    const struct prog_instr *i, uint64_t by);

/* Is its result to be shown both zero and not zero?  by: NULL where neither
 * operand is a constant. */
bool narrow_asks(const struct narrow *n, uint32_t k, const struct prog_instr *i,
    const uint64_t *by);

#endif
