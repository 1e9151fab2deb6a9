// What is kept, by the upper four bits: a table of few values that data reads.
// entry: relu_keeps_by_table
// global: cols, rows
// local: 1, 1
__constant float KEEP[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0 };

__kernel void
relu_keeps_by_table(__global const KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	size_t c = get_global_id(0), r = get_global_id(1);
	float v = kf_load(x, r * x_stride + c);

	if (KEEP[as_uint(v) >> 28] == 0.0f && !isnan(v))
		v = 0.0f;
	kf_store(out, r * out_stride + c, v);
}
