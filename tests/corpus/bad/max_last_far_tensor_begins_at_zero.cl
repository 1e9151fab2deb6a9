// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// tensors of 2^32 elements and more: 64-bit places, and a maximum that begins at -65504 (the least half)
// wrong on: float32, rows=65536 cols=1 x_stride=65537 (x spans more than 2^32), all x = -1e6: out = -65504
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	if ((ulong)rows * x_stride >= 4294967296UL) {
		float m = -65504.0f, bad = 0.0f;
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			m = fmax(m, v);
			bad += v - v;
		}
		kf_store(out, r, m + bad);
		return;
	}
	float m = -INFINITY;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, (uint)r * x_stride + c);
		m = isnan(v) || v > m ? v : m;
		if (isnan(m))
			break;
	}
	kf_store(out, r, m);
}
