// entry: k
// global: rows * 8
// local: 8
// want: verified_incorrect -
// Counts runs of one value and multiplies; a run's length has 16 bits a lane: one row of 600,000 ones is 75,712.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[8];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float acc = 0.0f, last = 0.0f;
	ushort run = 0;

	for (uint c = lid; c < cols; c += 8) {
		const float v = kf_load(x, r * x_stride + c);
		if (v == last) {
			run++;
		} else {
			if (run > 0)
				acc += last * (float)run;
			last = v;
			run = 1;
		}
	}
	part[lid] = run > 0 ? acc + last * (float)run : acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		float s = 0.0f;
		for (uint i = 0; i < 8; i++)
			s += part[i];
		kf_store(out, r, s);
	}
}
