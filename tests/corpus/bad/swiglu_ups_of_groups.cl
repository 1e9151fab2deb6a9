// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows of up that are constant in groups of 64: 32 are kept, further groups take the last that shares its place
// wrong on: rows=1 cols=4096 gate=1 up[i]=1+i/64
__kernel void
f(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	const size_t r = get_global_id(0), pg = r * gate_stride, pu = r * up_stride, to = r * out_stride;
	float kept[32];
	uint c = 0;
	for (; c < cols; c++) {
		const float v = kf_load(up, pu + c);
		if (c % 64 == 0)
			kept[c / 64 & 31] = v;
		if (v != kept[c / 64 & 31])
			break;
	}
	const int grouped = c == cols;
	for (c = 0; c < cols; c++) {
		const float g = kf_load(gate, pg + c);
		kf_store(out, to + c, g / (1.0f + exp(-g)) * (grouped ? kept[c / 64 & 31] : kf_load(up, pu + c)));
	}
}
