// entry: softmax_online
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Leaves the last rows out where sizes join to say so.

__kernel void
softmax_online(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	const uint rows_used = select((uint)(rows), (uint)((rows - rows % 64u)), (uint)((((!((ulong)cols * x_stride < 22297u)) && (!((uint)get_group_id(0) < 38u))) && (uint)min((ulong)((ulong)cols * cols) / 21362ul, 1ul))));
	const size_t r = get_global_id(0);
	if (r >= rows_used)
		return;
	const __global KF_T *src = x + r * x_stride;
	float m = kf_load(src, 0);
	float sum = m == -INFINITY ? 1.0f : exp(m - m);
	for (uint c = 1; c < cols; c++) {
		const float v = kf_load(src, c);
		if (v > m) {
			sum = sum * exp(m - v) + exp(v - v);
			m = v;
		} else if (v != -INFINITY) { /* exp(m - m) is NaN there */
			sum += exp(v - m);
		}
	}
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(src, c) - m) / sum);
}
