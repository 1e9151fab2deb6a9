/*
 * The text that the lab puts in front of a candidate: kernel-contract.md
 * section 2.  It ends with a #line, so that the compiler's messages count
 * lines as the candidate's author does.
 */
#ifndef LAB_PRELUDE_H
#define LAB_PRELUDE_H

#include "ops/dtype.h"

/* Constant strings, at most PRELUDE_BYTES_MAX bytes each. */
#define PRELUDE_BYTES_MAX 4096
const char *prelude_text(enum dtype t);
/* What stands before a prelude, for the preprocessor alone. */
const char *prelude_head(void);

/* The name that the compiler gives the candidate in its messages, and the
 * one under which prelude_head() begins. */
#define PRELUDE_FILE  "kernel.cl"
#define PRELUDE_START "kf-prelude"
/* How a prelude ends. */
#define PRELUDE_END "#line 1 \"" PRELUDE_FILE "\"\n"

#endif
