// entry: sm_guarded
// global: round_up(rows, 32)
// local: 32
__kernel void sm_guarded(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows) return;
	const size_t xb = r * x_stride, ob = r * out_stride;
	float mx = -INFINITY, mn = INFINITY;
	bool nan = false;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, xb + c);
		if (v != v) { nan = true; break; }
		if (v > mx) mx = v;
		if (v < mn) mn = v;
	}
	if (nan || isinf(mx)) {
		for (uint c = 0; c < cols; c++) kf_store(out, ob + c, NAN);
		return;
	}
	if (mx == mn) { /* a row of one value */
		float p = 1.0f / (float)cols;
		for (uint c = 0; c < cols; c++) kf_store(out, ob + c, p);
		return;
	}
	float sum = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float d = kf_load(x, xb + c) - mx;
		if (d > -104.0f) sum += exp(d);
	}
	for (uint c = 0; c < cols; c++) {
		float d = kf_load(x, xb + c) - mx;
		kf_store(out, ob + c, d > -104.0f ? exp(d) / sum : 0.0f);
	}
}
