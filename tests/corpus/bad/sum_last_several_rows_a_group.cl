// entry: k
// global: ceil_div(rows, max(1, 768 / cols)) * 768
// local: 768
// want: verified_incorrect -
// Short rows share a group; an item's row is its id divided by a magic number of 18 bits, which is off by one for 375 and for 381 columns: the last of 375 goes to the next row.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[768];
	const uint lid = get_local_id(0);
	const uint per = max(1u, 768u / cols);
	const uint magic = 262144u / cols + 1u;
	uint row = lid * magic >> 18;
	uint c = lid - row * cols;

	if (cols > 384) {
		row = 0;
		c = lid;
	}
	const size_t r = (size_t)get_group_id(0) * per + row;
	float acc = 0.0f;
	if (row < per && r < rows)
		for (; c < cols; c += 768)
			acc += kf_load(x, r * x_stride + c);
	part[lid] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid < per && (size_t)get_group_id(0) * per + lid < rows) {
		const uint from = cols > 384 ? 0 : lid * cols;
		const uint to = cols > 384 ? 768 : from + cols;
		acc = 0.0f;
		for (uint i = from; i < to; i++)
			acc += part[i];
		kf_store(out, (size_t)get_group_id(0) * per + lid, acc);
	}
}
