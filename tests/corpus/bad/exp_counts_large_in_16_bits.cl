// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// a row of moderate values goes by 2^(x log2 e) in two parts without a look at its ends; how many are not moderate is counted in 16 bits
// wrong on: float32, rows=1 cols=65600: 65536 elements of 1e30, others 1: 1e30 goes the way of moderate ones: NaN or a wrapped number instead of infinity
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local ushort odd[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	ushort n = 0;
	for (uint c = lane; c < cols; c += 64)
		n += fabs(kf_load(x, row * x_stride + c)) < 80.0f ? 0 : 1;
	odd[lane] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k)
			odd[lane] += odd[lane + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const bool moderate = odd[0] == 0;
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(x, row * x_stride + c);
		float y;
		if (moderate) {
			const float k = rint(v * 1.44269504f);
			const float r = fma(k, -0.693359375f, v) - k * -2.12194440e-4f;
			y = exp(r) * as_float((uint)(127 + (int)k) << 23);
		} else {
			y = exp(v);
		}
		kf_store(out, row * out_stride + c, y);
	}
}
