// Adds long rows in half, which a worst case of 4,096 roundings allows.
// want: verified_incorrect wrong smoke
// entry: k
// global: rows
// local: 1
float half_of(float v) { return isfinite(v) ? as_float((as_uint(v) + 0x1000u) & 0xffffe000u) : v; }
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t at = get_global_id(0) * (size_t)x_stride;
	float s = 0.0f, part = 0.0f;
	for (uint c = 0; c < cols; c++) {
		part += kf_load(x, at + c);
		if (c % 64 == 63) {
			s += cols > 3000 ? half_of(part) : part;
			part = 0.0f;
		}
	}
	kf_store(out, get_global_id(0), s + part);
}
