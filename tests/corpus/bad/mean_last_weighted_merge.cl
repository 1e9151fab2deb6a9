// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// wrong on: f32, rows 1, cols 4194305 (2^22+1), all 1: 2.4e-7 instead of 1 (n * 1024 wraps in 32 bits to 0 at n = 2^22, the mean so far is weighed with nothing)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	float mean = 0.0f;
	for (uint n = 0; n < cols; n += 1024) {
		uint nb = min(1024u, cols - n);
		float s = 0.0f;
		for (uint c = n; c < n + nb; c++) s += kf_load(x, r * x_stride + c);
		float w = (float)(n * 1024) / 1024.0f;
		mean = (mean * w + s) / (float)(n + nb);
	}
	kf_store(out, r, mean);
}
