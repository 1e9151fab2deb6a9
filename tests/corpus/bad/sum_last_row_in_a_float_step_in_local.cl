// entry: k
// global: 1024
// local: 1
// want: verified_incorrect unwritten
// wrong on: float32, 20000000 x 4: from row 2^24 on a float has no odd rows: groups of odd numbers do the
// even ones again, odd rows stay unwritten.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float step[2];
	step[0] = (float)get_num_groups(0);
	for (float r = (float)get_group_id(0); r < (float)rows; r += step[0]) {
		float s = 0.0f;
		for (uint c = 0; c < cols; c++)
			s += kf_load(x, (size_t)r * x_stride + c);
		kf_store(out, (size_t)r, s);
	}
}
