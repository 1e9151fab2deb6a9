// entry: sum16
// global: rows * 32
// local: 32
__kernel void sum16(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[32];
	const uint l = get_local_id(0);
	const size_t r = get_group_id(0), base = r * x_stride;
	float16 acc = (float16)(0.0f);
	uint c = l * 16;
	for (; c + 16 <= cols; c += 512) {
#if KF_DTYPE == 0
		acc += vload16(0, x + base + c);
#elif KF_DTYPE == 1
		acc += vload_half16(0, x + base + c);
#else
		acc += as_float16(convert_uint16(vload16(0, x + base + c)) << (uint16)(16));
#endif
	}
	float8 a8 = acc.lo + acc.hi;
	float4 a4 = a8.lo + a8.hi;
	float s = (a4.x + a4.y) + (a4.z + a4.w);
	for (uint i = 0; i < 16; i++)
		s += c + i < cols ? kf_load(x, base + c + i) : 0.0f;
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		for (uint i = 1; i < 32; i++)
			s += part[i];
		kf_store(out, r, s);
	}
}
