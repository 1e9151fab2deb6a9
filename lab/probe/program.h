/*
 * A candidate's LLVM text (unoptimised, for spir64) as a program that a small
 * machine of ours can run: see machine.h.
 *
 * Why not count in a build that a device's compiler makes: what is counted
 * here is what the front end saw, no pass has merged or dropped a branch, the
 * candidate's text is not touched, and where a device's compiler gets a kernel
 * wrong this is a second reader of the same text.
 *
 * Every value lives in slots of 64 bits of its function's frame, a vector in
 * one slot a lane, a structure flattened.  Operands name a slot (0 and up) or
 * a constant (below 0, see prog_operand).
 */
#ifndef LAB_PROBE_PROGRAM_H
#define LAB_PROBE_PROGRAM_H

#include "base/err.h"
#include "base/slice.h"
#include "lab/probe/program_objects.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROG_FUNCTIONS_MAX 256
#define PROG_ARGS_MAX      64
#define PROG_LANES_MAX     16

enum prog_kind {
	PROG_VOID,
	PROG_INT,
	PROG_FLOAT,
	PROG_POINTER,
	PROG_VECTOR,
	PROG_ARRAY,
	PROG_STRUCT,
};

struct prog_type {
	enum prog_kind kind;
	uint32_t bits;  /* of a number; of a vector's lane */
	uint32_t count; /* lanes, elements, fields */
	const struct prog_type *of;
	const struct prog_type **fields; /* owned */
	uint64_t *offsets;               /* owned */
	uint64_t bytes;
	uint32_t align;
	uint32_t slots;
	struct slice name; /* of a structure that has one */
};

/* A vector's lane, or the type itself. */
static inline const struct prog_type *
prog_lane(const struct prog_type *t)
{
	return t->kind == PROG_VECTOR ? t->of : t;
}

/* A pointer is region << PROG_REGION_SHIFT | PROG_ORIGIN + offset in bytes, so
 * that none is ever an address here. */
#define PROG_REGION_SHIFT 54
#define PROG_ORIGIN       ((uint64_t)1 << 53)

enum prog_region {
	PROG_NOWHERE,
	PROG_PRIVATE, /* of the work item that runs */
	PROG_LOCAL,
	PROG_CONSTANT,
	PROG_ARGUMENT, /* of the kernel's argument 0; then 1, ... */
};

static inline uint64_t
prog_pointer(unsigned region, uint64_t offset)
{
	return (uint64_t)region << PROG_REGION_SHIFT | (PROG_ORIGIN + offset);
}

enum prog_op {
	PROG_MOVE, /* also loads and stores of variables that live in slots */
	PROG_ALLOCA,
	PROG_LOAD,
	PROG_STORE,
	PROG_GEP,
	PROG_ADD,
	PROG_SUB,
	PROG_MUL,
	PROG_UDIV,
	PROG_SDIV,
	PROG_UREM,
	PROG_SREM,
	PROG_SHL,
	PROG_LSHR,
	PROG_ASHR,
	PROG_AND,
	PROG_OR,
	PROG_XOR,
	PROG_FADD,
	PROG_FSUB,
	PROG_FMUL,
	PROG_FDIV,
	PROG_FREM,
	PROG_FNEG,
	PROG_ICMP,
	PROG_FCMP,
	PROG_SELECT,
	PROG_TRUNC,
	PROG_ZEXT,
	PROG_SEXT,
	PROG_FPTRUNC,
	PROG_FPEXT,
	PROG_FPTOUI,
	PROG_FPTOSI,
	PROG_UITOFP,
	PROG_SITOFP,
	PROG_BITCAST,
	PROG_EXTRACT,
	PROG_INSERT,
	PROG_SHUFFLE,
	PROG_JUMP,
	PROG_BRANCH,
	PROG_SWITCH,
	PROG_RETURN,
	PROG_CALL,
	PROG_BUILTIN,
	PROG_UNREACHABLE,
	PROG_NOPS
};

enum prog_predicate {
	PROG_EQ,
	PROG_NE,
	PROG_UGT,
	PROG_UGE,
	PROG_ULT,
	PROG_ULE,
	PROG_SGT,
	PROG_SGE,
	PROG_SLT,
	PROG_SLE,
	PROG_FALSE,
	PROG_OEQ,
	PROG_OGT,
	PROG_OGE,
	PROG_OLT,
	PROG_OLE,
	PROG_ONE,
	PROG_ORD,
	PROG_UNO,
	PROG_UEQ,
	PROG_FUGT,
	PROG_FUGE,
	PROG_FULT,
	PROG_FULE,
	PROG_UNE,
	PROG_TRUE,
};

#define PROG_NO_POINT UINT32_MAX

struct prog_instr {
	enum prog_op op;
	uint32_t lanes;
	uint32_t bits;      /* of a lane of the result (a store's: its value) */
	uint32_t from_bits; /* of a lane of operand a */
	int32_t dst, a, b, c;
	uint32_t aux;      /* predicate, edges, GEP, switch, call: see the op */
	uint32_t point;    /* of coverage, or PROG_NO_POINT */
	uint32_t combined; /* 0, or 1 + its number among the combined */
	uint32_t line;
	const struct prog_type *type; /* in memory; a bitcast's result */
	const struct prog_type *from; /* a bitcast's operand */
};

/* pointer + offset + sum of index[i] * stride[i], each sign-extended. */
struct prog_gep {
	uint64_t offset;
	uint32_t n;
	int32_t index[8];
	uint32_t bits[8];
	uint64_t stride[8];
};

/* From one block to another: the target's phis as moves, all at once. */
struct prog_move {
	int32_t dst, src;
	uint32_t slots;
};
struct prog_edge {
	uint32_t from, to;           /* blocks */
	uint32_t first, n;           /* in the function's moves */
	uint32_t first_step, nsteps; /* in its steps */
};

/* What an edge means to a loop. */
enum prog_step_kind {
	PROG_LOOP_ENTERED,
	PROG_LOOP_AGAIN,
	PROG_LOOP_LEFT,
	PROG_LOOP_LEFT_BEFORE, /* before a round has done anything */
};
struct prog_step {
	enum prog_step_kind kind;
	uint32_t point;
	int32_t slot; /* counts how often it went round */
};

struct prog_switch {
	uint32_t n;
	uint64_t *values; /* owned */
	uint32_t *edges;  /* owned; n + 1, the last one is the default */
};

struct prog_builtin; /* see builtin.h */

struct prog_call {
	uint32_t callee;                  /* PROG_CALL: a function */
	struct slice name;                /* as it is mangled */
	const struct prog_builtin *known; /* PROG_BUILTIN */
	struct slice plain;               /* its name, "exp" */
	bool is_signed;      /* its first argument that is a number */
	uint32_t from_bytes; /* of what its first pointer points at */
	uint32_t nargs;
	int32_t args[PROG_ARGS_MAX];
	const struct prog_type *types[PROG_ARGS_MAX];
	/* A structure passed by value: its bytes, and where in the caller's
	 * private memory the callee's own copy lies. */
	uint64_t copied[PROG_ARGS_MAX], copy_at[PROG_ARGS_MAX];
	const struct prog_type *result;
};

struct prog_block {
	struct slice name;
	uint32_t first; /* instruction */
	uint32_t n;
};

struct prog_function {
	struct slice name;
	bool is_kernel;
	bool is_candidates; /* not the lab's own, from the prelude */
	const struct prog_type *result;
	uint32_t nparams;
	int32_t params[PROG_ARGS_MAX]; /* slots */
	const struct prog_type *types[PROG_ARGS_MAX];
	struct prog_block *blocks; /* owned */
	uint32_t nblocks;
	struct prog_instr *code; /* owned */
	uint32_t ncode;
	struct prog_edge *edges; /* owned */
	uint32_t nedges;
	struct prog_move *moves; /* owned */
	uint32_t nmoves;
	struct prog_step *steps; /* owned */
	uint32_t nsteps;
	uint32_t slots;               /* of its frame */
	uint64_t private_bytes;       /* of its arrays */
	struct prog_objects privates; /* these; owned */
	/* With what it calls; 0 before it is known. */
	uint64_t deep_slots, deep_bytes;
	uint32_t depth;
};

/* What coverage counts. */
enum prog_point_kind {
	PROG_POINT_COMPARE, /* false, true */
	PROG_POINT_BRANCH,  /* false, true: what no comparison stands for */
	PROG_POINT_SWITCH,  /* each case, the default last */
	PROG_POINT_CHOICE,  /* min, max, clamp: the first, the other, ... */
	PROG_POINT_LOOP,    /* not at all, once, many times */
	/* What several decisions make: zero, other; or each value. */
	PROG_POINT_COMBINED,
	PROG_POINT_BITS, /* zero, other: what asks without a comparison */
	/* The same of a whole number that a division, a shift or a float is cut
	 * to: told, and asked of nobody. */
	PROG_POINT_QUOTIENT,
};

struct prog_point {
	enum prog_point_kind kind;
	uint32_t outcomes;
	uint32_t first; /* index of its counter of outcome 0 */
	uint32_t function, block, instr;
	uint32_t line;
	uint32_t free_outcomes; /* a bit for each that need not come up */
};

/* What a run takes a point's outcome for, where that can be arranged. */
#define PROG_GIVEN_MAX 16
struct prog_given {
	uint32_t point, outcome;
};

#define PROG_COMBINED_MAX  8
#define PROG_COMBINED_EACH 4

/* n is 0 where only zero or not is counted. */
struct prog_combined {
	uint32_t point, n;
	bool is_fused; /* see prog_is_fused() */
	uint64_t v[PROG_COMBINED_MAX];
};

/* A constant array of numbers: where it lies in the image. */
struct prog_table {
	uint64_t at, bytes, each;
};

struct program {
	char *text;               /* owned: what the slices point into */
	struct prog_type **types; /* owned, with what they own */
	size_t ntypes, types_size;
	struct prog_function *functions; /* owned */
	size_t nfunctions;
	uint64_t *constants; /* owned: operands' */
	size_t nconstants, constants_size;
	struct prog_gep *geps; /* owned */
	size_t ngeps;
	struct prog_switch *switches; /* owned */
	size_t nswitches;
	struct prog_call *calls; /* owned */
	size_t ncalls;
	unsigned char *image; /* owned: the constant region */
	uint64_t image_bytes;
	struct prog_objects statics; /* owned: those of the image */
	struct prog_table *tables;   /* owned */
	size_t ntables;
	uint64_t local_bytes;
	struct prog_objects locals; /* owned */
	struct prog_point *points;  /* owned */
	size_t npoints;
	size_t ncounters;
	struct prog_combined *combined; /* owned */
	size_t ncombined;
};

/* ERR_SYNTAX: not of the form that is known; *why says where.  ERR_TOOBIG,
 * ERR_DENIED: the kernel is legal, and too large, or has what is not run. */
enum err prog_parse(const char *text, struct program **ret, struct why *why);
void prog_free(struct program *p); /* NULL-safe */

/* NULL: no kernel has that name. */
const struct prog_function *prog_kernel(const struct program *p,
    const char *name);

/* Does anything in a function take this slot's value?  (It may say so where
 * nothing does.) */
bool prog_is_used(const struct program *p, const struct prog_function *f,
    int32_t slot);

/* Counts the points of all functions that are the candidate's. */
void prog_find_points(struct program *p);

static inline int32_t
prog_constant(size_t index)
{
	return -(int32_t)index - 1;
}

static inline bool
prog_is_constant(int32_t operand)
{
	return operand < 0;
}

#endif
