/*
 * The undisclosed shapes: within their sizes, a pure function of the seed, and
 * met by whatever a kernel's author may fork on, under nearly every seed.
 */
#include "ops/drawn_shapes.h"

#include "ops/args.h"
#include "tests/unit.h"
#include <stdio.h>
#include <string.h>

#define SEEDS 200

typedef bool fork_fn(const struct op_shape *s);

static bool
rows_odd(const struct op_shape *s)
{
	return s->rows % 2 == 1;
}

static bool
rows_of_8(const struct op_shape *s)
{
	return s->rows % 8 == 0;
}

static bool
cols_odd(const struct op_shape *s)
{
	return s->cols % 2 == 1;
}

static bool
cols_of_16(const struct op_shape *s)
{
	return s->cols % 16 == 0;
}

static bool
cols_of_64(const struct op_shape *s)
{
	return s->cols % 64 == 0;
}

static bool
cols_past_64(const struct op_shape *s)
{
	return s->cols > 64;
}

static bool
rows_close(const struct op_shape *s)
{
	return s->x_stride == s->cols;
}

static bool
rows_apart(const struct op_shape *s)
{
	return s->x_stride > s->cols;
}

static const struct {
	const char *what;
	fork_fn *fork;
	int least; /* of SEEDS, on each side of the fork */
} rows[] = {
	{ "an odd number of rows", rows_odd, SEEDS },
	{ "rows a multiple of 8", rows_of_8, SEEDS },
	{ "an odd number of columns", cols_odd, SEEDS },
	{ "columns a multiple of 16", cols_of_16, SEEDS },
	{ "columns a multiple of 64", cols_of_64, SEEDS },
	{ "rows that lie close", rows_close, SEEDS },
	{ "rows that lie apart", rows_apart, SEEDS },
	{ "more than 64 columns", cols_past_64, SEEDS * 8 / 10 },
};

static void
seed_of(int i, uint8_t seed[32])
{
	memset(seed, 0, 32);
	snprintf((char *)seed, 32, "shapes %d", i);
}

/* Seeds under which one of the first n shapes is wanted by the fork. */
static int
count_met(const struct op *op, fork_fn *fork, bool wanted, int n)
{
	int met = 0;

	for (int i = 0; i < SEEDS; i++) {
		struct op_case c;
		uint8_t seed[32];
		bool is_met = false;

		seed_of(i, seed);
		for (int k = 0; k < n; k++) {
			shapes_undisclosed(op, (enum shapes_class)k, seed, &c);
			is_met |= fork(&c.shape) == wanted;
		}
		met += is_met;
	}
	return met;
}

/* Three rounds of whatever a kernel goes over, and never much to simulate. */
static void
check_tiny(const struct op *op, const uint8_t seed[32])
{
	static const struct shapes_rounds rounds[] = { { 0, 0 }, { 16, 0 },
		{ 64, 8 }, { 256, 0 }, { 512, 64 }, { 1024, 0 }, { 9, 64 } };

	for (size_t i = 0; i < COUNT(rounds); i++) {
		const struct shapes_rounds *r = &rounds[i];
		struct op_case c;

		shapes_tiny(op, seed, r, &c);
		CHECK(op_traffic(op, &c.shape, DTYPE_F32).read_bytes <
		        4 * 65536,
		    op->name);
		CHECK(c.shape.rows > 2 * r->groups, op->name);
		CHECK(c.shape.cols > 2 * r->tile || r->groups > 0, op->name);
		CHECK(c.shape.k > 2 * r->tile || r->tile > 64, op->name);
	}
}

static void
check_sizes(const struct op *op)
{
	for (int i = 0; i < SEEDS; i++) {
		struct op_case c, again;
		uint8_t seed[32];

		seed_of(i, seed);
		for (int k = 0; k < SHAPES_NCLASSES; k++) {
			shapes_undisclosed(op, (enum shapes_class)k, seed, &c);
			shapes_undisclosed(op, (enum shapes_class)k, seed,
			    &again);
			CHECK(op_shape_is_same(op, &c.shape, &again.shape),
			    op->name);
			CHECK(op_traffic(op, &c.shape, DTYPE_F32).read_bytes <=
			        40000 * 4 + 256,
			    op->name);
			CHECK(c.shape.dim % 2 == 0 && c.shape.cols > 0,
			    op->name);
		}
		check_tiny(op, seed);
	}
}

/* Something is far, no stride is below its columns, and no tensor passes what a
 * pointer of the machine's can say. */
static void
check_far(const struct op *op)
{
	const uint64_t far = (uint64_t)1 << 27;
	unsigned found = 0;
	uint8_t seed[32];

	for (size_t i = 0; i < SHAPES_NFAR * SEEDS; i++) {
		const char *name = "";
		struct op_shape s;
		uint64_t most = 0;

		seed_of((int)(i / SHAPES_NFAR), seed);
		if (!shapes_far(op, i % SHAPES_NFAR, SHAPES_FAR_BITS_MAX, seed,
		        &s, &name))
			continue;
		found++;
		CHECK(s.dim % 2 == 0, name);
		for (size_t a = 0; a < op->nargs; a++) {
			struct op_extent e;
			uint64_t span;

			if (op->args[a].kind == OP_UINT ||
			    op->args[a].kind == OP_REAL)
				continue;
			e = op->extent(&s, a);
			span = (uint64_t)e.rows * e.stride;
			most = span > most ? span : most;
			CHECK(e.stride >= e.cols, name);
			CHECK(span < (uint64_t)1 << 50, name);
		}
		CHECK(most > far, name);
	}
	CHECK(found >= 2 * SEEDS, op->name);
}

void
t_drawn_shapes(void)
{
	const struct op *op = op_find("sum_last");

	for (size_t i = 0; i < COUNT(rows); i++) {
		int with = count_met(op, rows[i].fork, true, SHAPES_NCLASSES);
		int without =
		    count_met(op, rows[i].fork, false, SHAPES_NCLASSES);

		printf("  %s: %d and %d of %d seeds; one shape alone: %d and "
		       "%d\n",
		    rows[i].what, with, without, SEEDS,
		    count_met(op, rows[i].fork, true, 1),
		    count_met(op, rows[i].fork, false, 1));
		CHECK(with >= rows[i].least && without >= rows[i].least,
		    rows[i].what);
	}
	for (size_t i = 0; i < op_count(); i++)
		check_sizes(op_at(i));
	for (size_t i = 0; i < op_count(); i++)
		check_far(op_at(i));
}
