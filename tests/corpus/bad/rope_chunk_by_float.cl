// entry: k
// global: 4096
// local: 64
// want: verified_incorrect unwritten
// wrong on: f32, batch 1, seq 16777217, dim 2, positions 0, base 1e4: out[33554432] and the one behind are never written (ceil((float)pairs / 4096) pairs an item)
__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	uint h = dim / 2;
	ulong total = (ulong)batch * seq * h;
	ulong chunk = (ulong)ceil((float)total / 4096.0f);
	ulong from = get_global_id(0) * chunk, to = min(total, from + chunk);
	for (ulong i = from; i < to; i++) {
		uint d = i % h;
		size_t row = i / h, lo = row * dim + d, hi = lo + h;
		float ang = (float)positions[row % seq] * pow(base, -2.0f * (float)d / (float)dim);
		float c = cos(ang), s = sin(ang);
		float a = kf_load(x, lo), b = kf_load(x, hi);
		kf_store(out, lo, a * c - b * s);
		kf_store(out, hi, a * s + b * c);
	}
}
