// entry: k
// global: min(rows, 1024) * 16
// local: 16
// want: verified_incorrect -
// A group's next row starts from the maximum of the one before, and is done again only where its sum is next to nothing: row 0 of zeros, row 1024 of -40 and -102: e^-62 comes out a tenth off.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[16], tops[16];
	const uint lid = get_local_id(0);
	float start = -INFINITY;

	for (size_t r = get_group_id(0); r < rows; r += get_num_groups(0)) {
		float top = -INFINITY, sum = 0.0f, all = 0.0f;
		for (uint c = lid; c < cols; c += 16)
			top = fmax(top, kf_load(x, r * x_stride + c));
		tops[lid] = top;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < 16; i++)
			top = fmax(top, tops[i]);
		float m = start - top < 60.0f ? fmax(start, top) : top;
		for (uint c = lid; c < cols; c += 16)
			sum += exp(kf_load(x, r * x_stride + c) - m);
		part[lid] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < 16; i++)
			all += part[i];
		for (uint c = lid; c < cols; c += 16)
			kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / all);
		start = top;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
