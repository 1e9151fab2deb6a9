// entry: k
// global: 256 * 64
// local: 64
// want: verified_incorrect unwritten
// wrong on: f32, rows 16777217, cols 1: out[16777216] is never written (ceil((float)rows / 256) rows a group)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint chunk = (uint)ceil((float)rows / 256.0f);
	size_t from = (size_t)get_group_id(0) * chunk, to = min((size_t)rows, from + chunk);
	for (size_t r = from; r < to; r++)
		for (uint c = get_local_id(0); c < cols; c += 64) {
			float v = kf_load(x, r * x_stride + c);
			kf_store(out, r * out_stride + c, v * 0.5f * (1.0f + erf(v * M_SQRT1_2_F)));
		}
}
