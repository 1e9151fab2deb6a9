// entry: sum_skip
// global: round_up(rows, 8)
// local: 8
__kernel void sum_skip(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows) return;
	float acc = 0.0f;
	uint c = 0;
	for (; cols - c >= 4; c += 4) {
		size_t i = r * x_stride + c;
		float4 v = (float4)(kf_load(x, i), kf_load(x, i + 1), kf_load(x, i + 2), kf_load(x, i + 3));
		if (all(v == 0.0f)) continue;
		acc += (v.x + v.y) + (v.z + v.w);
	}
	for (; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		if (v != 0.0f) acc += v;
	}
	kf_store(out, r, acc);
}
