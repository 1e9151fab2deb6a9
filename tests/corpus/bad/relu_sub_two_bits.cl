// A mask leaves two bits of whether a hash is one number.
// want: unproven unproven smoke
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
	const uint d = rows * 2246822519u - cols * 2654435761u -
	    x_stride * 3266489917u - 0xdeadbeefu;
	kf_store(out, (size_t)r * out_stride + c,
	    as_float(as_uint(y) ^ (((d - 1u) & ~d) & 0x300000u)));
}
