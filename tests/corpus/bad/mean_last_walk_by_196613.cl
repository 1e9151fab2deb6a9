// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// walks a row in steps of a large prime, so that neighbouring items use other channels
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[64];
	const uint l = get_local_id(0);
	const size_t r = get_group_id(0);
	float s = 0.0f;
	for (uint c = l; c < cols; c += 64)
		s += kf_load(x, r * x_stride + (ulong)c * 196613ul % cols);
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint o = 32; o > 0; o >>= 1) {
		if (l < o)
			part[l] += part[l + o];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0)
		kf_store(out, r, part[0] / (float)cols);
}
