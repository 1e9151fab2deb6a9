/*
 * A buffer that is too large to be had, for launches of the machine's that no
 * device here could make.
 *
 * Its places are made when they are touched, in pieces.  What a place holds at
 * first is a function of the place and a seed, so that whoever judges what came
 * out of an element knows its inputs without a word from the machine.  Every
 * number has eight bits and is exact in all storage types.  Where rows vary,
 * some are out of the ordinary: what is done far out alone must be right there.
 */
#ifndef LAB_PROBE_SPARSE_MEMORY_H
#define LAB_PROBE_SPARSE_MEMORY_H

#include "ops/dtype.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No position is above this, or below its negative. */
#define SPARSE_POSITIONS INT32_MAX

enum sparse_kind { SPARSE_NONE, SPARSE_NUMBERS, SPARSE_INT };

/* Rows of cols elements, stride apart; gaps hold a NaN, and so does all of
 * an output. */
struct sparse_layout {
	uint32_t kind; /* enum sparse_kind; SPARSE_NONE: it is no such buffer */
	uint32_t dtype; /* of numbers */
	uint64_t cols, stride;
	uint64_t seed;
	uint64_t rows_seed; /* 0: rows are not varied; tensors that share it
	                     * have half of theirs of one kind */
	bool is_output;
};

/* What is there before anybody writes: a number, an element's place in a row
 * being less than cols; a position. */
float sparse_number(const struct sparse_layout *l, uint64_t element);
int32_t sparse_position(const struct sparse_layout *l, uint64_t element);
uint64_t sparse_word_bytes(const struct sparse_layout *l);

#define SPARSE_PIECE 64 /* bytes */

struct sparse;

/* per_piece: bytes of the caller's own beside each piece, zero at first. */
struct sparse *sparse_new(const struct sparse_layout *l, size_t per_piece);
void sparse_free(struct sparse *s); /* NULL-safe */

/* The piece that an offset lies in, made if need be, and what is beside it.
 * NULL: there are too many. */
unsigned char *sparse_at(struct sparse *s, uint64_t offset, void **ret_own);

/* Piece i of those there are, in no order; false: no more. */
bool sparse_piece(const struct sparse *s, size_t i, uint64_t *ret_offset,
    const unsigned char **ret_bytes, const void **ret_own);

#endif
