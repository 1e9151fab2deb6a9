// entry: k
// global: rows * 16
// local: 16
// want: verified_incorrect -
// Both signs are counted in 16 bits a lane, in an array, and their sum divides: of 2^20 ones there are none.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[16]; __local uint counts[16];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	ushort n[2] = { 0, 0 };
	float acc = 0.0f;
	for (uint c = lid; c < cols; c += get_local_size(0)) {
		const float v = kf_load(x, r * x_stride + c);
		n[v < 0.0f]++;
		acc += v;
	}
	part[lid] = acc; counts[lid] = n[0] + n[1];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		float s = 0.0f; uint all = 0;
		for (uint i = 0; i < 16; i++) { s += part[i]; all += counts[i]; }
		kf_store(out, r, s / (float)all);
	}
}
