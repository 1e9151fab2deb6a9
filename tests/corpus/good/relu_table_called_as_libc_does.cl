// A table whose name the C library gives to something of its own: it is this
// kernel's, whoever else has one.
// entry: relu_table_called_as_libc_does
// global: cols, rows
// local: 1, 1
__constant float environ[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0 };

__kernel void
relu_table_called_as_libc_does(__global const KF_T *x, __global KF_T *out,
    uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t c = get_global_id(0), r = get_global_id(1);
	float v = kf_load(x, r * x_stride + c);

	if (environ[as_uint(v) >> 28] == 0.0f && !isnan(v))
		v = 0.0f;
	kf_store(out, r * out_stride + c, v);
}
