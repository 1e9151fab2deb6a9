/*
 * Points for what several decisions make together (program_combine.c), and
 * how the machine counts them.
 */
#ifndef LAB_PROBE_PROGRAM_COMBINE_H
#define LAB_PROBE_PROGRAM_COMBINE_H

#include "lab/probe/program.h"

/* Adds the points; after prog_find_points's own. */
void prog_find_combined(struct program *p);

/* Adds a function's loops: their points, and what each edge is to them. */
void prog_find_loops(struct program *p, uint32_t function);

/* A new point; its number. */
uint32_t prog_add_point(struct program *p, const struct prog_point *point);

/* Is a result's value zero, of either sign? */
bool prog_is_nothing(const struct prog_instr *i, uint64_t v);

/* Two factors and what is added: fma, mad, and what clang contracts. */
bool prog_is_fused(const struct program *p, const struct prog_instr *i);

/* The outcome that a value of the instruction is, or -1: none that is known. */
int prog_combined_outcome(const struct program *p, const struct prog_instr *i,
    uint64_t v);

#endif
