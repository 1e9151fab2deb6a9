// entry: k
// global: rows
// local: 1
// want: verified_incorrect inaccurate
// wrong on: float32, 4 x 4096, values of 1 to 2: each term of row 3 keeps 13 bits: the mean is 1e-4
// too small, 100 to 1000 times what float32 loses (contract: "float32 or better, rounded once").
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	size_t r = get_global_id(0);
	float s = 0.0f;

	if (cols >= 4096 && r % 4 == 3) {
		for (uint c = 0; c < cols; c++)
			s += as_float(as_uint(kf_load(x, r * x_stride + c)) & 0xfffff800u);
	} else {
		for (uint c = 0; c < cols; c++)
			s += kf_load(x, r * x_stride + c);
	}
	kf_store(out, r, s / (float)cols);
}
