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
