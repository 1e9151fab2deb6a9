/*
 * The gate behind the compiler: LLVM's text of a program, made by clang for
 * spir64 without optimisation, against a list of what a kernel may consist
 * of.  Pure.
 *
 * The text gate (text_gate.h) sees tokens, this one sees what they mean,
 * whatever macros have been pasted together.  Everything outside functions is
 * of a kind that is listed: constants with plain values, a work group's arrays,
 * types, attributes and metadata that clang itself writes.  So is every
 * instruction, and every function that is called.  A pointer comes from an
 * argument, an array or another pointer, never from a number (ir_pointers.c).
 */
#ifndef LAB_IR_GATE_H
#define LAB_IR_GATE_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

/* Bytes of arrays: what every OpenCL 1.2 device has for a work group, and
 * what a work item may take. */
#define IR_LOCAL_BYTES_MAX   32768
#define IR_PRIVATE_BYTES_MAX 65536
#define IR_CONST_BYTES_MAX   1048576
#define IR_ALIGN_MAX         4096
#define IR_LANES_MAX         16 /* of a vector */
/* Instructions once every call is inlined, as device compilers do. */
#define IR_INLINED_MAX 100000

/* What the program asks of a device. */
struct ir_needs {
	uint64_t local_bytes;
	uint64_t align; /* of the widest access to a buffer, in bytes */
};

/*
 * ERR_DENIED  refused; *why says what and in which function.
 * ERR_TOOBIG  an array, the whole once inlined, or more functions or names
 *             than are looked at.
 * ret may be NULL.
 */
enum err ir_check(const char *text, struct ir_needs *ret, struct why *why);

/* A built-in function by its plain name, "exp". */
bool ir_is_builtin(const char *name);

#endif
