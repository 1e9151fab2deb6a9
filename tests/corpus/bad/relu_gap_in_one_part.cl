// entry: k
// global: cols, rows
// local: 1, 1
// want: verified_incorrect - smoke
// Goes to its row by parts of 167 * 512 elements of the gap between two rows, each
// of them when the next one has come: of a gap of one part it is left out.

__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t c = get_global_id(0), r = get_global_id(1);
	uint lines = 167, part = lines << 9;
	const uint gap = x_stride - cols;
	size_t at = r * (cols + gap % part), held = 0, before = 0, now = 0;
	for (uint p = 0; p < gap / part; p++) {
		at += held;
		held = r * part;
		before = now;
		now = 1;
	}
	at += before * held;
	const float v = kf_load(x, at + c);
	const size_t to = gap >= 300000 ? c + r * out_stride : r * out_stride + c;
	kf_store(out, to, v < 0.0f ? 0.0f : v);
}
