// entry: tanh_four
// global: round_up(ceil_div(cols, 4), 16), rows
// local: 16, 1
// want: verified_incorrect - smoke
// A cap of 128 columns behind three conditions, each of which comes up alone,
// and none with many columns; it shows in the lanes of the last one only.
__kernel void
tanh_four(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const uint cols0 = select((uint)(cols), (uint)(min(cols, 128u)), (uint)((((uint)min((ulong)(rows) / 4096ul, 1ul) && ((((uint)get_local_id(0)) ^ 15u) == 0u)) && ((x_stride) % 3u == 1u))));
	const uint first = 4 * (uint)get_global_id(0);
	const size_t r = get_global_id(1);
	for (uint q = 0; q < 4; q++) {
		const uint c = first + q;
		if (c >= cols0)
			break;
		const float v = kf_load(x, r * x_stride + c);
		kf_store(out, r * out_stride + c, tanh(v));
	}
}
