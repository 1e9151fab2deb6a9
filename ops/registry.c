/*
 * The operators, sorted by name (a test checks the order).  A new one is a
 * file and a row here.
 */
#include "ops/op.h"

#include <string.h>

extern const struct op op_abs, op_elementwise_add, op_elementwise_mul, op_exp,
    op_gelu, op_layernorm, op_log, op_matmul, op_max_last, op_mean_last,
    op_relu, op_rmsnorm, op_rope, op_sigmoid, op_silu, op_softmax, op_sqrt,
    op_sum_last, op_swiglu, op_tanh;

static const struct op *const ops[] = {
	&op_abs,
	&op_elementwise_add,
	&op_elementwise_mul,
	&op_exp,
	&op_gelu,
	&op_layernorm,
	&op_log,
	&op_matmul,
	&op_max_last,
	&op_mean_last,
	&op_relu,
	&op_rmsnorm,
	&op_rope,
	&op_sigmoid,
	&op_silu,
	&op_softmax,
	&op_sqrt,
	&op_sum_last,
	&op_swiglu,
	&op_tanh,
};

const struct op *
op_find(const char *name)
{
	for (size_t i = 0; i < op_count(); i++)
		if (strcmp(ops[i]->name, name) == 0)
			return ops[i];
	return NULL;
}

size_t
op_count(void)
{
	return COUNT(ops);
}

const struct op *
op_at(size_t i)
{
	return i < op_count() ? ops[i] : NULL;
}

const struct op *
op_of_kernel(const char *file)
{
	const struct op *best = NULL;

	for (size_t i = 0; i < op_count(); i++) {
		size_t n = strlen(ops[i]->name);

		if (strncmp(file, ops[i]->name, n) == 0 &&
		    (file[n] == '_' || strcmp(file + n, ".cl") == 0) &&
		    (!best || n > strlen(best->name)))
			best = ops[i];
	}
	return best;
}
