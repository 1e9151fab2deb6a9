/*
 * Buffers too large to be had: what is there is what whoever judges says is
 * there, gaps and outputs hold NaN, and what is written stays.
 */
#include "lab/probe/sparse_memory.h"

#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR ((uint64_t)1 << 41)

static void
check_type(enum dtype t)
{
	const struct sparse_layout l = { .kind = SPARSE_NUMBERS,
		.dtype = t,
		.cols = 5,
		.stride = 7,
		.seed = 11 };
	struct sparse *s = sparse_new(&l, 0);
	uint64_t first = FAR / dtype_bytes(t);
	void *own;

	for (uint64_t e = first; e < first + 100; e++) {
		const unsigned char *p = sparse_at(s, e * dtype_bytes(t), &own);
		float v = dtype_load(t, p, 0);

		if (e % 7 < 5)
			CHECK(v == sparse_number(&l, e) && v > 0.4f && v < 4.0f,
			    dtype_name(t));
		else
			CHECK(isnan(v), "a gap");
	}
	sparse_free(s);
}

static void
check_output(void)
{
	const struct sparse_layout l = { .kind = SPARSE_NUMBERS,
		.cols = 1,
		.stride = 1,
		.is_output = 1 };
	struct sparse *s = sparse_new(&l, sizeof(uint32_t));
	const unsigned char *bytes;
	const void *beside;
	uint64_t offset;
	uint32_t *own;
	void *any;

	CHECK(isnan(dtype_load(DTYPE_F32, sparse_at(s, FAR, &any), 0)),
	    "nobody has written yet");
	own = any;
	CHECK(*own == 0, "nothing is beside it yet");
	*own = 42;
	dtype_store(DTYPE_F32, sparse_at(s, FAR, &any), 0, 2.5f);
	sparse_at(s, 0, &any);
	CHECK(dtype_load(DTYPE_F32, sparse_at(s, FAR, &any), 0) == 2.5f,
	    "it stays");
	CHECK(sparse_piece(s, 0, &offset, &bytes, &beside) && offset == FAR,
	    "the first piece");
	own = any;
	CHECK(memcmp(beside, own, sizeof *own) == 0 && *own == 42,
	    "what is beside it");
	CHECK(sparse_piece(s, 1, &offset, &bytes, &beside) && offset == 0 &&
	        !sparse_piece(s, 2, &offset, &bytes, &beside),
	    "two pieces");
	sparse_free(s);
}

/* Rows that are out of the ordinary, in two tensors of a launch. */
static void
check_rows(void)
{
	const struct sparse_layout a = { .kind = SPARSE_NUMBERS,
		.cols = 3,
		.stride = 3,
		.seed = 11,
		.rows_seed = 5 };
	struct sparse_layout b = a;
	unsigned plain = 0, zeros = 0, others = 0;

	b.seed = 12;
	for (uint64_t row = 0; row < 1000; row++) {
		float v = sparse_number(&a, row * 3);
		float w = sparse_number(&b, row * 3);

		plain += v > 0.4f && v < 4.0f;
		zeros += v == 0.0f && w == 0.0f;
		others += v == 0.0f && w != 0.0f;
	}
	CHECK(plain > 450 && plain < 750, "half of the rows are plain");
	CHECK(zeros > 10, "zeros in both");
	CHECK(others > 10, "zeros in one");
}

void
t_sparse_memory(void)
{
	const struct sparse_layout positions = { .kind = SPARSE_INT,
		.cols = 1,
		.stride = 1,
		.seed = 3 };

	for (int t = 0; t < DTYPE_NDTYPES; t++)
		check_type((enum dtype)t);
	check_output();
	check_rows();
	for (uint64_t e = 0; e < 1000; e++)
		CHECK(abs(sparse_position(&positions, e)) <= SPARSE_POSITIONS,
		    "a position");
}
