// entry: k
// global: rows * 32
// local: 32
// want: verified_incorrect -
// A lane counts its columns in 14 bits of a word.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[32]; __local uint counts[32];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	uint n = 0;
	float acc = 0.0f;
	for (uint c = lid; c < cols; c += 32) {
		acc += kf_load(x, r * x_stride + c);
		n = (n + 1) & 0x3fff;
	}
	part[lid] = acc; counts[lid] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		float s = 0.0f; uint all = 0;
		for (uint i = 0; i < 32; i++) { s += part[i]; all += counts[i]; }
		kf_store(out, r, s / (float)all);
	}
}
