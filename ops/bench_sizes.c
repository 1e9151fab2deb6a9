/*
 * Timing sizes and the work that they mean.
 *
 * Three sizes an operator: one where a launch costs more than the work, one
 * that fits a cache, one that does not; and a held-out one whose awkward
 * width nobody can tune to.  They are chosen so that one core needs between
 * 20 microseconds and some 30 milliseconds for a plain kernel.
 */
#include "ops/args.h"
#include "ops/draw.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define HELD_OUT "held out"

#define MATRIX(n, r, c) .name = (n), .dtype = DTYPE_F32, \
	.data = OP_DATA_NORMAL, \
	.shape = { .rows = (r), .cols = (c), .eps = 1e-5f }

static const struct op_case matrix_cases[] = {
	{ MATRIX("small",   128,  512) },
	{ MATRIX("medium",  512, 1024) },
	{ MATRIX("large",  2048, 1024) },
	{ MATRIX(HELD_OUT,  701, 1025), VARY(cols, 1025, 2047) },
};

#define ROPE(n, b, s, d) .name = (n), .dtype = DTYPE_F32, \
	.data = OP_DATA_NORMAL, .position_max = 4095, \
	.shape = { .batch = (b), .seq = (s), .dim = (d), .base = 1e4f }

static const struct op_case rope_cases[] = {
	{ ROPE("small",  4, 128,  64) },
	{ ROPE("medium", 8, 256,  64) },
	{ ROPE("large",  8, 512, 128) },
	{ ROPE(HELD_OUT, 7, 401,  66), VARY(dim, 66, 254) },
};

#define MATMUL(na, m_, n_, k_) .name = (na), .dtype = DTYPE_F32, \
	.data = OP_DATA_NORMAL, .shape = { .m = (m_), .n = (n_), .k = (k_) }

static const struct op_case matmul_cases[] = {
	{ MATMUL("small",   64,  64,  64) },
	{ MATMUL("medium", 128, 128, 128) },
	{ MATMUL("large",  256, 256, 256) },
	{ MATMUL(HELD_OUT, 161, 199, 130), VARY(k, 130, 250) },
};
/* clang-format on */

/* One operation an element. */
static double
map_flops(const struct op_shape *s)
{
	return (double)s->rows * s->cols;
}

/* exp, +, /, * */
static double
gated_flops(const struct op_shape *s)
{
	return 4.0 * s->rows * s->cols;
}

/* max, -, exp, +, / */
static double
softmax_flops(const struct op_shape *s)
{
	return 5.0 * s->rows * s->cols;
}

/* *, + for the mean square; *, * */
static double
rmsnorm_flops(const struct op_shape *s)
{
	return 4.0 * s->rows * s->cols;
}

/* + for the mean; -, *, + for the variance; *, *, + */
static double
layernorm_flops(const struct op_shape *s)
{
	return 7.0 * s->rows * s->cols;
}

/* Two products and a sum an element; the angles could be shared. */
static double
rope_flops(const struct op_shape *s)
{
	return 3.0 * s->batch * s->seq * s->dim;
}

static double
matmul_flops(const struct op_shape *s)
{
	return 2.0 * s->m * s->n * s->k;
}

#define BENCH(name, rows, count)                                               \
	const struct op_bench op_bench_##name = { rows, COUNT(rows), count }

BENCH(map, matrix_cases, map_flops);
BENCH(gated, matrix_cases, gated_flops);
BENCH(reduce, matrix_cases, map_flops);
BENCH(softmax, matrix_cases, softmax_flops);
BENCH(rmsnorm, matrix_cases, rmsnorm_flops);
BENCH(layernorm, matrix_cases, layernorm_flops);
BENCH(rope, rope_cases, rope_flops);
BENCH(matmul, matmul_cases, matmul_flops);

static bool
is_stride(const char *name)
{
	size_t n = strlen(name), end = strlen("_stride");

	return n > end && strcmp(name + n - end, "_stride") == 0;
}

void
op_close_strides(const struct op *op, struct op_shape *s)
{
	for (size_t i = 0; i < op->nargs; i++) {
		const char *name = op->args[i].name;

		for (size_t k = 0; k < op->nargs && is_stride(name); k++) {
			size_t n = strlen(op->args[k].name);
			uint32_t cols;

			if (strncmp(name, op->args[k].name, n) != 0 ||
			    strcmp(name + n, "_stride") != 0)
				continue;
			cols = op->extent(s, k).cols;
			memcpy((char *)s + op->args[i].offset, &cols,
			    sizeof cols);
		}
	}
}

struct op_case
op_bench_case(const struct op *op, size_t i, const uint8_t seed[32])
{
	struct op_case c = op->bench->cases[i];
	struct draw d;
	uint32_t v;

	if (c.vary) {
		draw_init(&d, seed, op->name);
		v = draw_range(&d, c.vary_min, c.vary_max);
		if (c.vary_offset == offsetof(struct op_shape, dim))
			v -= v % 2;
		memcpy((char *)&c.shape + c.vary_offset, &v, sizeof v);
		c.vary = false;
	}
	op_close_strides(op, &c.shape);
	return c;
}

struct op_traffic
op_traffic(const struct op *op, const struct op_shape *s, enum dtype t)
{
	struct op_traffic ret = { 0 };

	for (size_t i = 0; i < op->nargs; i++) {
		enum op_arg_kind kind = op->args[i].kind;
		struct op_extent e;
		double n;

		if (kind == OP_UINT || kind == OP_REAL)
			continue;
		e = op->extent(s, i);
		n = (double)e.rows * e.cols;
		if (kind == OP_OUT)
			ret.written_bytes += n * (double)dtype_bytes(t);
		else if (kind == OP_POSITIONS)
			ret.read_bytes += n * (double)sizeof(int32_t);
		else
			ret.read_bytes += n * (double)dtype_bytes(t);
	}
	return ret;
}

void
op_shape_text(const struct op *op, const struct op_shape *s, char *out,
    size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < op->nargs && at < size; i++)
		if (op->args[i].kind == OP_UINT && !is_stride(op->args[i].name))
			at += (size_t)snprintf(out + at, size - at, "%s%u",
			    at ? "x" : "", op_scalar_uint(&op->args[i], s));
}
