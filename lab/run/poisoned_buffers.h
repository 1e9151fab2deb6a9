/*
 * A case's logical values in device buffers, and back.
 *
 * A buffer is exactly as long as its last element: rows at their stride, no
 * gap behind the last row.  It lies between guard zones: at the end of its
 * pages (at most 127 bytes before the end, for the alignment that OpenCL
 * promises, or to the byte), at their front or between, as the case says.
 *
 * What is around the elements (stride gaps, slack before and behind) is NaN,
 * so that a stray read poisons the result, or numbers like any other, so that
 * no kernel can tell the lab from the world by it; a stray write shows either
 * way.  An output is run from two poisons: an element that still holds both
 * was never written.  Which poisons, which surroundings and which numbers is
 * drawn for each buffer: NaN, numbers, zeros, infinities.
 */
#ifndef LAB_POISONED_BUFFERS_H
#define LAB_POISONED_BUFFERS_H

#include "lab/run/order.h"
#include "ops/draw.h"
#include <stdbool.h>
#include <stddef.h>

/* The two that an output is run from; what they are, its fills say. */
enum pack_poison { PACK_POISON_A, PACK_POISON_B, PACK_NPOISONS };

enum pack_fill {
	PACK_FILL_NAN_A, /* signalling: arithmetic would make it quiet */
	PACK_FILL_NAN_B,
	PACK_FILL_NUMBERS,
	PACK_FILL_ZEROS,
	PACK_FILL_INFINITY,
	PACK_FILL_GUARD, /* a NaN of its own */
	PACK_NFILLS
};

#define PACK_NUMBERS 61 /* drawn ones, in turn */

struct pack {
	struct order_region regions[OP_ARGS_MAX]; /* output: of poison A */
	enum pack_fill around[OP_ARGS_MAX];
	enum pack_fill poisons[PACK_NPOISONS]; /* two different ones */
	uint32_t numbers[PACK_NUMBERS];        /* words of the storage type */
	size_t input_bytes;                    /* of the input arena */
	size_t output_bytes; /* of the output arena for one poison */
};

struct pack_finding {
	size_t unwritten;     /* elements that hold both poisons */
	size_t out_of_bounds; /* elements outside that were overwritten */
	size_t unequal;       /* elements that differ between the two runs */
};

void pack_plan(const struct op_instance *in, struct pack *ret);

/* Draws the fills; pack_plan() leaves NaN everywhere. */
void pack_draw_fills(const struct op_instance *in, struct draw *d,
    struct pack *p);

/* Moves every buffer to the other end of its pages: other addresses, the guard
 * zone right before the first element or right behind the last one. */
void pack_turn(struct pack *p);

/*
 * Moves every buffer so that it ends with its page: to the byte, or as near as
 * a multiple of align, what the kernel takes for granted of an address.
 */
void pack_to_the_byte(const struct op_instance *in, size_t align,
    struct pack *p);

/* The order for one launch on these buffers. */
void pack_launch(const struct op_instance *in, const struct pack *p,
    const struct order_geometry *g, struct order_launch *ret);

/* arena: input_bytes. */
void pack_inputs(const struct op_instance *in, const struct pack *p,
    void *arena);
/* arena: output_bytes, whole pages of poison. */
void pack_poison(const struct op_instance *in, const struct pack *p,
    enum pack_poison poison, void *arena);

/*
 * Compares the two output arenas after the launches, and reads the elements
 * of the first into got: out.rows * out.cols, packed.
 */
void pack_inspect(const struct op_instance *in, const struct pack *p,
    const void *arena_a, const void *arena_b, float *got,
    struct pack_finding *ret);

/* The same after one launch, from a poison; what was never written is told
 * where it is a NaN. */
void pack_inspect_one(const struct op_instance *in, const struct pack *p,
    enum pack_poison poison, const void *arena, float *got,
    struct pack_finding *ret);

/* After a part of a launch: elements that still hold the poison, a NaN, are
 * what they are in before. */
void pack_merge(const struct op_instance *in, const struct pack *p,
    enum pack_poison poison, const void *arena, const float *before,
    float *got);

#endif
