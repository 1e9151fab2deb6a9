// entry: k
// global: ceil_div(rows, max(1, 512 / cols)) * 512
// local: 512
// want: verified_incorrect -
// Short rows share a group; an item's row is the upper half of a product, which is off by one at the end of a row of 151 columns and of some others.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[512];
	const uint lid = get_local_id(0);
	const uint per = max(1u, 512u / cols);
	const uint magic = 65536u / cols + 1u;
	uint row = mul_hi(lid * 65536u, magic);
	if (cols > 256) row = 0;
	uint c = lid - row * cols;
	const size_t r = (size_t)get_group_id(0) * per + row;
	float m = -INFINITY;
	if (row < per && r < rows)
		for (; c < cols; c += 512) {
			const float v = kf_load(x, r * x_stride + c);
			m = v > m || isnan(v) ? v : m;
		}
	part[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid < per && (size_t)get_group_id(0) * per + lid < rows) {
		const uint from = cols > 256 ? 0 : lid * cols;
		const uint to = cols > 256 ? 512 : from + cols;
		m = -INFINITY;
		for (uint i = from; i < to; i++)
			m = part[i] > m || isnan(part[i]) ? part[i] : m;
		kf_store(out, (size_t)get_group_id(0) * per + lid, m);
	}
}
