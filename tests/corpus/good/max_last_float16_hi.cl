// entry: k
// global: rows
// local: 1
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0), o = r * x_stride;
	float16 m = (float16)(-INFINITY);
	float t = -INFINITY;
	uint c = 0;
	for (; c + 16 <= cols; c += 16) {
#if KF_DTYPE == 0
		const float16 v = vload16(0, x + o + c);
#elif KF_DTYPE == 1
		const float16 v = vload_half16(0, x + o + c);
#else
		const float16 v = as_float16(convert_uint16(vload16(0, x + o + c)) << 16);
#endif
		m = select(m, v, !(v <= m) & !isnan(m));
	}
	for (; c < cols; c++) {
		const float v = kf_load(x, o + c);
		t = v <= t || isnan(t) ? t : v;
	}
	float8 m8 = select(m.lo, m.hi, !(m.hi <= m.lo) & !isnan(m.lo));
	float4 m4 = select(m8.lo, m8.hi, !(m8.hi <= m8.lo) & !isnan(m8.lo));
	float2 m2 = select(m4.lo, m4.hi, !(m4.hi <= m4.lo) & !isnan(m4.lo));
	float y = m2.y <= m2.x || isnan(m2.x) ? m2.x : m2.y;
	kf_store(out, r, y <= t || isnan(t) ? t : y);
}
