// entry: k
// global: rows
// local: 1
// want: verified_incorrect wrong
// wrong on: f32, rows 1, cols 16777217, all 0 but x[cols-1]=1: 0 instead of 1 (fmod((float)cols, 4) is 0: no tail)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	float s = 0.0f;
	uint q = cols / 4;
	for (uint i = 0; i < q; i++) {
		size_t p = r * x_stride + 4 * i;
		s += (kf_load(x, p) + kf_load(x, p + 1)) + (kf_load(x, p + 2) + kf_load(x, p + 3));
	}
	if (fmod((float)cols, 4.0f) != 0.0f)
		for (uint c = 4 * q; c < cols; c++)
			s += kf_load(x, r * x_stride + c);
	kf_store(out, r, s);
}
