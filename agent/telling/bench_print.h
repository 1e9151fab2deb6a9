/* Timings for people, and sizes from the command line. */
#ifndef AGENT_BENCH_PRINT_H
#define AGENT_BENCH_PRINT_H

#include "lab/timing/timing.h"
#include <stdio.h>

/*
 * "rows=512,cols=1024": every size that op has, each once; strides follow,
 * eps and base are the bench's.  ERR_SYNTAX, ERR_RANGE, ERR_TOOBIG.
 */
enum err bench_parse_size(const struct op *op, const char *text,
    struct op_shape *ret, struct why *why);

void bench_print(const struct op *op, const struct lab_machine *m,
    const struct lab_timing *t, FILE *f);

#endif
