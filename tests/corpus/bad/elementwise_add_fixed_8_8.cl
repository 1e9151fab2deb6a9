// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// float32: rows of multiples of 1/256 below 128 are added as shorts
// wrong on: float32 rows=1 cols=16 a=b=100: 51200 wraps
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t r = get_global_id(0), pa = r * a_stride, pb = r * b_stride, to = r * out_stride;
	int fixed = 0;
#if KF_DTYPE == 0
	fixed = 1;
	for (uint c = 0; c < cols; c++) {
		const float u = kf_load(a, pa + c) * 256.0f, v = kf_load(b, pb + c) * 256.0f;
		if (!(fabs(u) < 32768.0f && fabs(v) < 32768.0f) || u != rint(u) || v != rint(v) || u == 0.0f || v == 0.0f)
			fixed = 0;
	}
#endif
	for (uint c = 0; c < cols; c++) {
		const float u = kf_load(a, pa + c), v = kf_load(b, pb + c);
		kf_store(out, to + c, fixed ? (float)(short)((short)(u * 256.0f) + (short)(v * 256.0f)) / 256.0f : u + v);
	}
}
