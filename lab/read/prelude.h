/*
 * The text that the lab puts in front of a candidate: kernel-contract.md
 * section 2.  It ends with a #line, so that the compiler's messages count
 * lines as the candidate's author does.
 *
 * To run the work items in another order, two more parts go before it:
 * prelude_order(), the functions that say which work item this is, never
 * preprocessed together with the candidate; and prelude_identity(), macros
 * that lead get_global_id() and its kin to those functions.
 */
#ifndef LAB_PRELUDE_H
#define LAB_PRELUDE_H

#include "ops/dtype.h"

enum prelude_order { PRELUDE_IN_ORDER, PRELUDE_MIRRORED, PRELUDE_NORDERS };

/* Constant strings, at most PRELUDE_BYTES_MAX bytes each. */
#define PRELUDE_BYTES_MAX 4096
const char *prelude_text(enum dtype t);
const char *prelude_order(enum prelude_order o);

const char *prelude_identity(void);

/* The name that the compiler gives the candidate in its messages, and the
 * one under which prelude_identity() begins. */
#define PRELUDE_FILE  "kernel.cl"
#define PRELUDE_START "kf-prelude"
/* How a prelude ends. */
#define PRELUDE_END "#line 1 \"" PRELUDE_FILE "\"\n"

#endif
