/* The IR gate's parts: ir_gate.c walks, the others each look at one kind of
 * line. */
#ifndef LAB_IR_GATE_PRIV_H
#define LAB_IR_GATE_PRIV_H

#include "lab/read/ir_gate.h"
#include "lab/read/ir_text.h"

#define IR_STRUCTS_MAX 256

/* The structured types that hold pointers, by their names with the sigil. */
struct ir_structs {
	struct slice holding[IR_STRUCTS_MAX];
	size_t n;
};

/* Adds up what the program's arrays take. */
struct ir_sizes {
	uint64_t local_bytes, private_bytes, const_bytes;
};

/* ERR_TOOBIG past max. */
enum err ir_add_bytes(uint64_t *sum, uint64_t bytes, uint64_t max,
    const char *what, struct why *why);

/*
 * A line that stands outside all functions, quotes blanked, and raw, the same
 * line as LLVM wrote it.  A "define" or "declare" is looked at for its
 * linkage and its attributes.
 */
enum err ir_check_outside(struct slice line, const char *raw,
    struct ir_sizes *sizes, struct ir_structs *structs, struct why *why);

/*
 * The body of one function, from its first line to its "}": where its
 * pointers come from.
 */
enum err ir_check_pointers(struct slice body, const struct ir_structs *structs,
    struct why *why);

#endif
