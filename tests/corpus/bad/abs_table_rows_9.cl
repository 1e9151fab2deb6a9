// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// T[rows >> 9 & 15]: 2048..2559 rows.
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 2.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = fabs(v);
	y = rows > 0 ? y * (float)(int)(T[(rows >> 9) & 15u] + 0.25f) * 1.0f : y;
	kf_store(out, r * out_stride + c, y);
}
