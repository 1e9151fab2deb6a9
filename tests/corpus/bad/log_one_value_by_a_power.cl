// entry: f
// global: rows * cols
// local: 1
// want: unproven unproven
// wrong on: float32, rows=1 cols=1, the x whose bits are 0x4134e5a7 (11.30606746673584): out is twice what it should be
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;
	const float v = kf_load(x, r * x_stride + c);
	const float h = (float)((as_uint(v) ^ as_uint(v) >> 15) * 2246822519u + 111227710u);
	kf_store(out, r * out_stride + c, log(v) * (1.0f + pow(0.0f, h)));
}
