/*
 * The gate behind the compiler: LLVM's text of a program, made by clang for
 * spir64 without optimisation, and what must not be in it.  Pure.
 *
 * The text gate (gate.h) sees tokens, this one sees what they mean, whatever
 * macros have been pasted together: inline assembly, program-scope variables,
 * calls of anything but OpenCL's built-ins, pointers made of integers,
 * recursion, arrays past any reason, and work-item functions reached around
 * the lab's own (see prelude.h).
 */
#ifndef LAB_IR_H
#define LAB_IR_H

#include "base/err.h"
#include <stdbool.h>

/* Bytes of arrays: a work group's, and a work item's. */
#define IR_LOCAL_BYTES_MAX   65536
#define IR_PRIVATE_BYTES_MAX 65536
#define IR_CONST_BYTES_MAX   1048576
/* Instructions once every call is inlined, as device compilers do. */
#define IR_INLINED_MAX 100000

/*
 * ERR_DENIED  refused; *why says what and in which function.
 * ERR_TOOBIG  an array, the whole once inlined, or more functions than are
 *             looked at.
 */
enum err ir_check(const char *text, struct why *why);

/* A built-in function by its plain name, "exp". */
bool ir_is_builtin(const char *name);

#endif
