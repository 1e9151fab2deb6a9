/*
 * The text that the lab puts in front of a candidate: kernel-contract.md
 * section 2.  It ends with a #line, so that the compiler's messages count
 * lines as the candidate's author does.
 */
#ifndef LAB_PRELUDE_H
#define LAB_PRELUDE_H

#include "ops/dtype.h"

/* A constant string, at most PRELUDE_BYTES_MAX bytes. */
#define PRELUDE_BYTES_MAX 4096
const char *prelude_text(enum dtype t);

/* The name that the compiler gives the candidate in its messages. */
#define PRELUDE_FILE "kernel.cl"

#endif
