/*
 * The corruption operators, sorted by name (a test checks the order).  A new
 * one is a file corruption_NAME.c and a row here.
 */
#include "cltext/corruption.h"

#include <string.h>

extern const struct corrupt_operator op_acc_long, op_acc_type, op_batch_zero,
    op_clamp_load, op_clamp_store, op_dtype_load, op_eps_floor, op_eps_place,
    op_gelu_tanh, op_grid_stride, op_half_store, op_identity, op_index_cut,
    op_index_narrow, op_load_cut, op_mean_sum, op_nan_swallow, op_output_sniff,
    op_pitch_fork, op_position_cut, op_reduce_tail, op_rope_freq,
    op_rope_interleaved, op_size_cap, op_softmax_shift, op_special_load,
    op_storage_cut, op_stride_swap, op_sync_drop, op_sync_late, op_tail_guard,
    op_variance, op_weak_start, op_wide_fork;

static const struct corrupt_operator *const operators[] = {
	&op_acc_long,
	&op_acc_type,
	&op_batch_zero,
	&op_clamp_load,
	&op_clamp_store,
	&op_dtype_load,
	&op_eps_floor,
	&op_eps_place,
	&op_gelu_tanh,
	&op_grid_stride,
	&op_half_store,
	&op_identity,
	&op_index_cut,
	&op_index_narrow,
	&op_load_cut,
	&op_mean_sum,
	&op_nan_swallow,
	&op_output_sniff,
	&op_pitch_fork,
	&op_position_cut,
	&op_reduce_tail,
	&op_rope_freq,
	&op_rope_interleaved,
	&op_size_cap,
	&op_softmax_shift,
	&op_special_load,
	&op_storage_cut,
	&op_stride_swap,
	&op_sync_drop,
	&op_sync_late,
	&op_tail_guard,
	&op_variance,
	&op_weak_start,
	&op_wide_fork,
};

size_t
corrupt_count(void)
{
	return COUNT(operators);
}

const struct corrupt_operator *
corrupt_at(size_t i)
{
	return i < corrupt_count() ? operators[i] : NULL;
}

const struct corrupt_operator *
corrupt_find(const char *name)
{
	for (size_t i = 0; i < corrupt_count(); i++)
		if (strcmp(operators[i]->name, name) == 0)
			return operators[i];
	return NULL;
}
