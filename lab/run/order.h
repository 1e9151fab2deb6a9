/*
 * What the parent and a lab child say to each other: one message a packet on
 * a SOCK_SEQPACKET pair, orders down, answers up, one answer an order.
 *
 * The child runs foreign machine code, so the parent believes nothing in an
 * answer: a packet of another size is a broken child, an index is only used
 * after a range check, a text is cut and cleaned before it is shown.
 */
#ifndef LAB_ORDER_H
#define LAB_ORDER_H

#include "cltext/candidate.h"
#include "lab/probe/program.h"
#include "lab/probe/sparse_memory.h"
#include "lab/read/prelude.h"
#include "ops/op.h"
#include <stdint.h>

#define ORDER_GEOMETRIES_MAX 64
#define ORDER_ENTRY_BYTES    256
#define ORDER_TEXT_BYTES     512
/* An expanded candidate behind its preludes; a packet must fit a socket's
 * buffer. */
#define ORDER_EXPANDED_MAX ((size_t)128 << 10)
#define ORDER_SOURCE_BYTES                                                     \
	(ORDER_EXPANDED_MAX + 2 * (size_t)PRELUDE_BYTES_MAX + 1)

enum order_kind {
	ORDER_BUILD = 1,
	ORDER_LAUNCH = 2,
	ORDER_ARM = 3,   /* map the buffers of a slot and keep them */
	ORDER_FIRE = 4,  /* launch on a slot that is armed */
	ORDER_COUNT = 5, /* run in the machine: see machine_child.h */
};

enum answer_kind {
	ANSWER_BUILT = 1,
	ANSWER_RAN = 2,
	ANSWER_COMPILE_ERROR = 3, /* text: the compiler's first line */
	ANSWER_LAUNCH_ERROR = 4,  /* text: what OpenCL refused */
	ANSWER_FAULT = 5,         /* fault_*: where a memory access faulted */
	ANSWER_SANDBOX = 6,       /* text: the sandbox could not be entered */
	ANSWER_ARMED = 7,
	ANSWER_REFUSED = 8, /* text: what the compiler made and is not loaded */
	ANSWER_COUNTED = 9, /* count_*: how a run in the machine ended */
};

/* What a faulting access touched. */
enum fault_area {
	FAULT_ELSEWHERE,
	FAULT_INPUT,  /* the read-only pages of an input */
	FAULT_GUARD,  /* the guard zone around a buffer */
	FAULT_SYSTEM, /* a system call that the sandbox denies */
	FAULT_NAREAS
};

struct order_geometry {
	uint64_t ndims;
	uint64_t global[CANDIDATE_DIMS_MAX];
	uint64_t local[CANDIDATE_DIMS_MAX];
};

/*
 * Build for one storage type and compile every geometry that will be
 * launched; no candidate code runs yet.  After it the child gives up exec
 * and fork for good.
 */
struct order_build {
	uint32_t kind;
	uint32_t nargs;
	uint32_t args[OP_ARGS_MAX]; /* enum op_arg_kind */
	uint32_t is_replay; /* nothing may be executed, not even the linker:
	                       what is needed lies in the folder's cache */
	uint32_t ngeometries;
	struct order_geometry geometries[ORDER_GEOMETRIES_MAX];
	char entry[ORDER_ENTRY_BYTES];
	uint32_t source_bytes; /* without the NUL, behind which the packet ends
	                        */
	char source[ORDER_SOURCE_BYTES];
};

/* Where a tensor argument lies; offsets count from the start of its arena. */
struct order_region {
	uint64_t map_at, map_bytes;   /* whole pages */
	uint64_t data_at, data_bytes; /* the buffer inside them */
};

struct order_launch {
	uint32_t kind;
	struct order_geometry geometry;
	struct order_region regions[OP_ARGS_MAX]; /* tensor arguments */
	uint32_t scalars[OP_ARGS_MAX];            /* bits of the others */
};

/* Timing: a slot is one set of buffers, so that launches can take turns. */
#define ORDER_SLOTS_MAX 4

struct order_arm {
	uint32_t kind;
	uint32_t slot;
	struct order_launch launch; /* its kind is not looked at */
};

struct order_fire {
	uint32_t kind;
	uint32_t slot;
};

/* One launch in the machine (lab/probe), which needs no build. */
#define ORDER_GROUPS_MAX 64

struct order_count {
	uint32_t kind;
	uint32_t nargs;
	uint32_t args[OP_ARGS_MAX];         /* enum op_arg_kind */
	struct order_launch launch;         /* its kind is not looked at */
	uint64_t input_bytes, output_bytes; /* of the arenas */
	uint64_t text_at, text_bytes;       /* the IR, in the input arena */
	uint64_t counters_at, ncounters;    /* in the output arena; added to */
	uint64_t seed, budget;
	uint32_t order;        /* enum machine_order */
	uint32_t is_pessimist; /* built-ins err */
	uint32_t fill;         /* what unwritten memory holds */
	uint32_t ngroups;      /* 0: all */
	uint64_t groups[ORDER_GROUPS_MAX];
	struct prog_given given[PROG_GIVEN_MAX];
	uint32_t ngiven;
	/* Where buffers are sparse, theirs; then what was written is listed in
	 * the output arena, as struct machine_written. */
	uint32_t is_sparse;
	uint32_t is_hasty; /* short loops are leapt over as well */
	struct sparse_layout layouts[OP_ARGS_MAX];
	uint64_t written_at, written_max;
	char entry[ORDER_ENTRY_BYTES];
};

struct order_answer {
	uint32_t kind;
	uint32_t count_end;  /* ANSWER_COUNTED: enum machine_end */
	uint32_t count_line; /* where what was found is, or 0 */
	uint32_t fault_area;
	uint32_t fault_arg;
	uint32_t fault_write;
	uint32_t features;     /* ANSWER_BUILT: enum sandbox_feature bits */
	uint64_t nwritten;     /* ANSWER_COUNTED: elements of a sparse output */
	uint64_t skipped;      /* bytes of it that leaps left out */
	uint64_t most;         /* bytes of it that one group wrote */
	uint64_t last_written; /* element, listed or not */
	uint64_t last_column;  /* of any row */
	uint64_t is_inexact;   /* values mean nothing behind a leap */
	uint64_t device_ns; /* ANSWER_RAN to FIRE: what the device says it took
	                     */
	char text[ORDER_TEXT_BYTES];
};

#endif
