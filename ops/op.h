/*
 * An operator: what it computes, how it is called, how it is tested.
 *
 * One file an operator (or a tight family) holds its formula, its reference
 * in double, its cases and its error bound with the reason; one row in
 * ops/registry.c makes it known to everything else.  No JSON, no events, no
 * OpenCL here: lab/ packs these values into device buffers.
 */
#ifndef OPS_OP_H
#define OPS_OP_H

#include "base/err.h"
#include "base/slice.h"
#include "ops/dtype.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OP_ARGS_MAX 12

enum op_arg_kind {
	OP_IN,        /* const __global KF_T * */
	OP_OUT,       /* __global KF_T * */
	OP_POSITIONS, /* const __global int * */
	OP_UINT,      /* uint */
	OP_REAL,      /* float */
};

/* Every scalar an operator can have; an operator uses the ones it names. */
struct op_shape {
	uint32_t rows, cols;
	uint32_t batch, seq, dim;
	uint32_t m, n, k;
	uint32_t x_stride, a_stride, b_stride, gate_stride, up_stride,
	    out_stride;
	float eps, base;
};

/* What an OP_IN is drawn from. */
enum op_draw {
	OP_DRAW_DATA,   /* the case's data class */
	OP_DRAW_ABS,    /* its absolute value, except for special values */
	OP_DRAW_NORMAL, /* standard normal whatever the class; by columns in a
	                   mix: it is no row of the output */
	OP_DRAW_WEIGHT, /* 1 + 0.5 N */
	OP_DRAW_BIAS,   /* 0.5 N */
};

struct op_arg {
	const char *name;
	enum op_arg_kind kind;
	enum op_draw draw; /* OP_IN */
	size_t offset; /* OP_UINT, OP_REAL: offsetof(struct op_shape, ...) */
};

/* A tensor argument's logical shape under a shape; stride in elements. */
struct op_extent {
	uint32_t rows, cols;
	uint32_t stride;
};

/* How the values of a case are drawn. */
enum op_data {
	OP_DATA_NORMAL,
	OP_DATA_NORMAL_ABS,
	OP_DATA_TINY,    /* normal x 1e-3 */
	OP_DATA_LARGE,   /* normal x 50 */
	OP_DATA_OFFSET,  /* normal + 1000 */
	OP_DATA_OUTLIER, /* normal with one 1e4 a row */
	OP_DATA_CONSTANT,
	OP_DATA_WIDE,     /* exponents over 2^+-10 */
	OP_DATA_NEGATIVE, /* all at most -200 */
	OP_DATA_SPECIAL,  /* NaN, infinities, -0, denormals, each in own rows */
	OP_DATA_RAGGED_SCALE, /* rows of very different scale */
	OP_DATA_INTEGER, /* small integers: every summation order is exact */
	OP_DATA_INTEGER_ROWS, /* one such a row */
	OP_DATA_ZERO,
	OP_DATA_HALFWAY, /* sums and products of two are often halfway between
	                    two numbers of the storage type, and exact before */
	OP_NDATAS
};

/* Where the buffers of a case lie in their pages. */
enum op_place {
	OP_PLACE_END,   /* as near to the guard zone behind as alignment lets */
	OP_PLACE_FRONT, /* right behind the guard zone in front */
	OP_PLACE_MIDDLE, /* with slack on both sides */
	OP_NPLACES
};

/*
 * Several classes of values in one case: slot i of an input is its row i (of a
 * matmul's b its column i, of an elementwise operator its element i) and all
 * that are a multiple of nslots further on.
 */
#define OP_MIX_MAX 24
struct op_mix {
	uint8_t nslots[OP_ARGS_MAX];
	uint8_t values[OP_ARGS_MAX][OP_MIX_MAX]; /* enum values_class */
	enum op_place place;
	int32_t position_min; /* added to all of them */
	bool sorted, repeated;
};

/* A test case: a shape (strides included), a storage type, a data class. */
struct op_case {
	const char *name; /* public: all that a model ever sees of a holdout */
	enum dtype dtype;
	enum op_data data;
	struct op_shape shape;
	/* With vary, one dimension is drawn from the secret seed: the scalar at
	 * that offset becomes a value in min..max (and pads stay the same). */
	size_t vary_offset;
	uint32_t vary_min, vary_max;
	uint32_t position_max; /* OP_POSITIONS: unsorted in 0..max; 0: all 0 */
	bool vary;
	const struct op_mix *mix; /* borrowed; instead of data, or NULL */
};

/* A case with its inputs drawn.  Values are packed (rows, cols) without
 * stride and already rounded to the storage type. */
struct op_instance {
	const struct op *op;
	const struct op_case *c;
	struct op_shape shape;
	float *in[OP_ARGS_MAX]; /* owned; by argument index, NULL where not
	                           OP_IN, or held by nobody */
	int32_t *positions;     /* owned or NULL */
	size_t out_index;       /* argument index of OP_OUT */
	struct op_extent out;
	uint8_t seed[32];
	unsigned holders;
};

/*
 * How an operator is timed.  Strides in the cases are 0: rows lie close.  The
 * case with vary is held out: its size is drawn when it is timed.
 */
struct op_bench {
	const struct op_case *cases;
	size_t ncases;
	/* The least number of operations that any kernel needs, one for each
	 * of + - * / and for each function: a floor, not an estimate. */
	double (*flops)(const struct op_shape *s);
};

/* ops/bench_sizes.c: the families' rows. */
extern const struct op_bench op_bench_map, op_bench_gated, op_bench_reduce,
    op_bench_softmax, op_bench_rmsnorm, op_bench_layernorm, op_bench_rope,
    op_bench_matmul;

/* Answers that are right beside the formula's, as bits. */
enum op_outcome {
	OP_MAY_BE_ZERO = 1,
	OP_MAY_BE_INF = 2,
	OP_MAY_BE_NEG_INF = 4,
	OP_MAY_BE_NAN = 8,
	OP_MAY_BE_OTHER = 16, /* the value in other */
};

/* The usual orders of a sum. */
enum op_order {
	OP_ORDER_IN_TURN,
	OP_ORDER_BACKWARDS,
	OP_ORDER_LANES, /* 64 of them, then a tree */
	OP_ORDER_PAIRS, /* neighbours, again and again */
	OP_NORDERS
};

/* What an operator sums, for ops/error_spread.h. */
struct op_sums {
	uint32_t (*length)(const struct op_shape *s); /* terms */
	/* The answer in float32 arithmetic, before it is stored.  y: out.rows *
	 * out.cols. */
	void (
	    *rounded)(const struct op_instance *in, enum op_order o, float *y);
};

struct op {
	const char *name;
	const char *category; /* "elementwise", "reduction", ... */
	const char *formula;  /* one line for prompts and docs */
	const char *notes;    /* what a prompt must add, or "" */
	const struct op_arg *args;
	size_t nargs;
	const struct op_case *smoke;
	const struct op_case *holdouts;
	size_t nholdouts;
	/* Cases of small integers whose answers are exact in any order of
	 * summation, none where a formula leaves the integers; or of one
	 * operation that float32 does not round, and the store alone. */
	const struct op_case *exact;
	size_t nexact;
	const struct op_relation
	    *relations; /* see ops/metamorphic_relations.h */
	size_t nrelations;
	/* Logical shape of tensor argument i (OP_IN, OP_OUT, OP_POSITIONS). */
	struct op_extent (*extent)(const struct op_shape *s, size_t arg);
	/*
	 * The reference in double from the rounded inputs, and per element the
	 * bound B of verification.md section 4 without the half ulp of the
	 * store (the judge adds that).  y, bound: out.rows * out.cols, packed.
	 */
	void (
	    *reference)(const struct op_instance *in, double *y, double *bound);
	/*
	 * Where float32 arithmetic over- or underflows on the way, taking the
	 * formula as it is written and its sums in any order: which answers
	 * are right beside the formula's.  NULL: nowhere.  may: enum op_outcome
	 * bits an element, all 0 before; other: see there.
	 */
	void (*outcomes)(const struct op_instance *in, uint8_t *may,
	    double *other);
	const struct op_sums *sums; /* NULL: it sums nothing */
	bool is_elementwise;        /* an element knows nothing of the others */
	bool keeps_zero_sign; /* IEEE 754 fixes the sign of a zero answer */
	/* But not of a sum that a flushed term takes away: -subnormal + 0. */
	bool flush_frees_zero_sign;
	const struct op_cause
	    *causes; /* its own mistakes, see ops/suspect_cause.h */
	size_t ncauses;
	const struct op_bench *bench;
};

/* The registry, sorted by name. */
const struct op *op_find(const char *name); /* NULL: unknown */
size_t op_count(void);
const struct op *op_at(size_t i);

/* The operator of a kernel file named OP.cl or OP_FORM.cl, the longest OP that
 * fits: max_last_row.cl is max_last's.  NULL: none. */
const struct op *op_of_kernel(const char *file);

/*
 * Draws a case's inputs from a 32-byte seed: a pure function of (op, case,
 * seed), the same on every machine.
 */
struct op_instance *op_instance_new(const struct op *op,
    const struct op_case *c, const uint8_t seed[32]);
void op_instance_free(struct op_instance *in);

/* A row of an input, one after the other: { .v = NULL } at first.  false: there
 * are no more. */
struct op_row {
	float *v; /* of the instance */
	uint32_t cols;
	size_t input; /* the argument */
	uint32_t row;
	bool is_positive; /* no element is below zero */
};
bool op_next_row(const struct op_instance *in, struct op_row *r);

/*
 * The same without its inputs, which are there while somebody holds them: the
 * first to hold draws them, the last to release gives them back.  What
 * op_instance_new makes is held until it is freed.
 */
struct op_instance *op_instance_plan(const struct op *op,
    const struct op_case *c, const uint8_t seed[32]);
void op_instance_hold(struct op_instance *in);
void op_instance_release(struct op_instance *in);

/* Case i of op's bench with its size drawn and its strides filled in. */
struct op_case op_bench_case(const struct op *op, size_t i,
    const uint8_t seed[32]);

/* A weight or a bias: one row, which all rows share. */
bool op_is_weight(const struct op *op, size_t arg);

/* Every stride becomes its tensor's columns. */
void op_close_strides(const struct op *op, struct op_shape *s);

/* What any kernel must at least read and write, each element once. */
struct op_traffic {
	double read_bytes, written_bytes;
};
struct op_traffic op_traffic(const struct op *op, const struct op_shape *s,
    enum dtype t);

/* The sizes without the strides: "2048x1024". */
void op_shape_text(const struct op *op, const struct op_shape *s, char *out,
    size_t size);

uint32_t op_scalar_uint(const struct op_arg *a, const struct op_shape *s);
float op_scalar_real(const struct op_arg *a, const struct op_shape *s);

/* The same in every scalar that the operator names, bit for bit. */
bool op_shape_is_same(const struct op *op, const struct op_shape *a,
    const struct op_shape *b);

/* The value of an operator's uint scalar by its name, as launch expressions
 * use it.  ERR_NOTFOUND: no such scalar, or no uint. */
enum err op_scalar_find(const struct op *op, const struct op_shape *s,
    struct slice name, uint32_t *ret);

#endif
