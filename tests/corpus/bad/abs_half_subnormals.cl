// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Subnormals of the storage type are lost.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = fabs(v);
	y = KF_DTYPE == 1 && y < 6.1e-5f ? 0.0f : y;
	kf_store(out, r * out_stride + c, y);
}
