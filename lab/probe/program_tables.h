/*
 * Constant tables of few values: reading one decides as a condition does.
 */
#ifndef LAB_PROBE_PROGRAM_TABLES_H
#define LAB_PROBE_PROGRAM_TABLES_H

#include "lab/probe/program.h"

#define PROG_TABLE_VALUES_MAX 4

/* Notes a variable of the constant region, which is filled later. */
void prog_add_table(struct program *p, uint64_t pointer,
    const struct prog_type *t);

/* What a load may give that reads such a table at an index that is no constant,
 * each value once; 0: it is none. */
uint32_t prog_table_values(const struct program *p,
    const struct prog_function *f, const struct prog_instr *load,
    uint64_t ret[PROG_TABLE_VALUES_MAX]);

#endif
