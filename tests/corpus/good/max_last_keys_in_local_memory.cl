// A key a lane, kept in local memory through the whole loop.
// entry: keys
// global: rows * 16
// local: 16
__kernel void
keys(__global const KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local uint keys[16];
	size_t r = get_group_id(0);
	uint l = get_local_id(0);
	keys[l] = 0;
	for (uint c = l; c < cols; c += 16) {
		uint b = as_uint(kf_load(x, r * x_stride + c));
		uint q = (b & 0x7fffffffu) > 0x7f800000u ? UINT_MAX : b >> 31 ? ~b : b | 0x80000000u;
		keys[l] = max(keys[l], q);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		uint q = 0;
		for (uint n = 0; n < 16; n++) q = max(q, keys[n]);
		kf_store(out, r, as_float(q == UINT_MAX ? q : q >> 31 ? q & 0x7fffffffu : ~q));
	}
}
