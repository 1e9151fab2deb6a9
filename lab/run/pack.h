/*
 * A case's logical values in device buffers, and back.
 *
 * A buffer is exactly as long as its last element: rows at their stride, no
 * gap behind the last row.  It ends at most 127 bytes before a page does, so
 * that the guard zone behind the page catches what runs over, and everything
 * around the elements (stride gaps, the page in front, the bytes behind) is
 * filled with NaN: a stray read poisons the result, a stray write shows.
 *
 * An output is run twice, from two poisons: an element that still holds both
 * was never written.
 */
#ifndef LAB_PACK_H
#define LAB_PACK_H

#include "lab/run/order.h"
#include "ops/op.h"
#include <stdbool.h>
#include <stddef.h>

enum pack_poison { PACK_POISON_A, PACK_POISON_B, PACK_NPOISONS };

struct pack {
	struct order_region regions[OP_ARGS_MAX]; /* output: of poison A */
	size_t input_bytes;                       /* of the input arena */
	size_t output_bytes; /* of the output arena for one poison */
};

struct pack_finding {
	size_t unwritten;     /* elements that hold both poisons */
	size_t out_of_bounds; /* elements outside that were overwritten */
	size_t unequal;       /* elements that differ between the two runs */
};

void pack_plan(const struct op_instance *in, struct pack *ret);

/* Moves every buffer to the front of its pages: other addresses, the guard
 * zone right before the first element, more room behind the last one. */
void pack_to_front(struct pack *p);

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

/* The same after one launch, from poison B: an element that still holds it
 * was never written, since arithmetic would have made it quiet. */
void pack_inspect_one(const struct op_instance *in, const struct pack *p,
    const void *arena_b, float *got, struct pack_finding *ret);

#endif
