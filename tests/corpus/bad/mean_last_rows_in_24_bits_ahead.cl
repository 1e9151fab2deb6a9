// entry: f
// global: min(rows, 1) * 1024
// local: 64
// want: verified_incorrect -
// items of a fixed grid walk rows; the next row's first element is loaded ahead, its number beside a mark in a word
// wrong on: float32, rows=16800000 cols=2: rows from 16777216 on get those of row - 16777216
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	uint r = get_global_id(0);
	float next = r < rows ? kf_load(x, (size_t)r * x_stride) : 0.0f;
	for (; r < rows; r += 1024) {
		const uint word = r << 8 | 3;
		const __global KF_T *src = x + (size_t)(word >> 8) * x_stride;
		float s = next;
		if (rows - r > 1024)
			next = kf_load(x, (size_t)(r + 1024) * x_stride);
		for (uint c = 1; c < cols; c++)
			s += kf_load(src, c);
		kf_store(out, r, s / (float)cols);
	}
}
