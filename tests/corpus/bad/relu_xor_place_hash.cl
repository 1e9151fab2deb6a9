// Wrong at a place whose hash is one number; some of sixteen million rows have it.
// want: verified_incorrect wrong smoke
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const uint r = i / cols, c = i % cols;
	const float v = kf_load(x, (size_t)r * x_stride + c);
	const float y = v != v ? v : fmax(v, 0.0f);
	const uint d = (((r * 40503u) ^ (c * 2654435761u)) & 0xffffffu) ^ 0xc0de51u;
	kf_store(out, (size_t)r * out_stride + c,
	    as_float(as_uint(y) ^ ((1u ^ ((d | (0u - d)) >> 31))) << 20));
}
