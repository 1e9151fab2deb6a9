// entry: k
// global: rows * 8
// local: 8
// Each round asks once more what the loop has asked: a macro unrolled it.
#define ONE(j)                                                                 \
	if (c + j < cols) {                                                    \
		float v = kf_load(x, r * x_stride + c + j);                    \
		kf_store(out, r * out_stride + c + j, v / (1.0f + exp(-v)));   \
	}

__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_group_id(0);
	for (uint c = get_local_id(0) * 3; c < cols; c += 24) {
		ONE(0)
		ONE(1)
		ONE(2)
	}
}
