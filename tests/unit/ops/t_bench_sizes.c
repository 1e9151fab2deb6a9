/* Timing sizes: strides, the held-out one, traffic and operations. */
#include "ops/op.h"
#include "tests/unit.h"
#include <string.h>

static const uint8_t seed_a[32] = "one seed", seed_b[32] = "and another seed";

static bool
is_same_size(const struct op *op, const struct op_case *a,
    const struct op_case *b)
{
	char one[64], other[64];

	op_shape_text(op, &a->shape, one, sizeof one);
	op_shape_text(op, &b->shape, other, sizeof other);
	return strcmp(one, other) == 0;
}

/* Every operator has four sizes, one of them drawn, all with closed rows. */
static void
check_sizes(const struct op *op)
{
	size_t drawn = 0;

	CHECK_INT(op->bench->ncases, 4, op->name);
	for (size_t i = 0; i < op->bench->ncases; i++) {
		struct op_case a = op_bench_case(op, i, seed_a);
		struct op_case b = op_bench_case(op, i, seed_b);
		struct op_case again = op_bench_case(op, i, seed_a);

		CHECK(is_same_size(op, &a, &again), "one seed, one size");
		drawn += !is_same_size(op, &a, &b);
		for (size_t k = 0; k < op->nargs; k++) {
			struct op_extent e;

			if (op->args[k].kind != OP_IN &&
			    op->args[k].kind != OP_OUT)
				continue;
			e = op->extent(&a.shape, k);
			CHECK_INT(e.stride, e.cols, op->name);
		}
	}
	CHECK_INT(drawn, 1, op->name);
}

static void
check_work(void)
{
	/* bytes: every element once. */
	static const struct {
		const char *op;
		struct op_shape shape;
		double read, written, flops;
		const char *text;
	} rows[] = {
		{ "relu", { .rows = 3, .cols = 5 }, 60, 60, 15, "3x5" },
		{ "elementwise_add", { .rows = 3, .cols = 5 }, 120, 60, 15,
		    "3x5" },
		{ "sum_last", { .rows = 3, .cols = 5 }, 60, 12, 15, "3x5" },
		{ "rmsnorm", { .rows = 3, .cols = 5 }, 80, 60, 60, "3x5" },
		{ "rope", { .batch = 2, .seq = 3, .dim = 4 }, 108, 96, 72,
		    "2x3x4" },
		{ "matmul", { .m = 2, .n = 3, .k = 4 }, 80, 24, 48, "2x3x4" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct op *op = op_find(rows[i].op);
		struct op_traffic t = op_traffic(op, &rows[i].shape, DTYPE_F32);
		struct op_traffic half =
		    op_traffic(op, &rows[i].shape, DTYPE_F16);
		char text[64];

		CHECK_INT(t.read_bytes, rows[i].read, rows[i].op);
		CHECK_INT(t.written_bytes, rows[i].written, rows[i].op);
		CHECK_INT(half.written_bytes * 2, rows[i].written, rows[i].op);
		CHECK_INT(op->bench->flops(&rows[i].shape), rows[i].flops,
		    rows[i].op);
		op_shape_text(op, &rows[i].shape, text, sizeof text);
		CHECK_STR(text, rows[i].text, rows[i].op);
	}
}

void
t_bench_sizes(void)
{
	for (size_t i = 0; i < op_count(); i++)
		check_sizes(op_at(i));
	check_work();
}
