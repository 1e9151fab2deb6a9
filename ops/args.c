#include "ops/args.h"

struct op_extent
op_matrix(uint32_t rows, uint32_t cols, uint32_t stride)
{
	return (struct op_extent){ rows, cols, stride };
}

struct op_extent
op_vector(uint32_t n)
{
	return (struct op_extent){ 1, n, n };
}

static const char *const by_data[OP_NDATAS] = {
	[OP_DATA_TINY] = "a constant that hides at normal magnitudes?",
	[OP_DATA_LARGE] = "overflow, or an approximation for small values?",
	[OP_DATA_OFFSET] = "cancellation: is the mean subtracted first?",
	[OP_DATA_OUTLIER] = "accumulates in too few bits?",
	[OP_DATA_CONSTANT] = "divides by a spread that is zero?",
	[OP_DATA_WIDE] = "loses precision over a wide range?",
	[OP_DATA_NEGATIVE] = "starts a maximum or a sum at the wrong value?",
	[OP_DATA_SPECIAL] = "NaN or infinity lost by a comparison?",
	[OP_DATA_RAGGED_SCALE] = "mixes rows?",
};

/* The first tensor argument whose rows have a pad, or nargs. */
static size_t
strided_arg(const struct op_instance *in)
{
	const struct op *op = in->op;

	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;

		if (op->args[i].kind != OP_IN && op->args[i].kind != OP_OUT)
			continue;
		e = op->extent(&in->shape, i);
		if (e.stride > e.cols)
			return i;
	}
	return op->nargs;
}

const char *
op_suspect_matrix(const struct op_instance *in)
{
	size_t strided = strided_arg(in);
	bool is_strided = strided < in->op->nargs;

	if (is_strided && in->c->dtype != DTYPE_F32)
		return "reads or writes storage as float, or ignores a stride?";
	if (is_strided)
		return strided == in->out_index ? "ignores out_stride?"
		                                : "ignores a row stride?";
	if (by_data[in->c->data])
		return by_data[in->c->data];
	if (in->c->dtype != DTYPE_F32)
		return "reads or writes storage as float, without kf_load and "
		       "kf_store?";
	if (in->shape.cols > 1024)
		return "a loop that does not cover wide rows?";
	return "a missing bounds check, or a size taken as a multiple of the "
	       "work group?";
}
