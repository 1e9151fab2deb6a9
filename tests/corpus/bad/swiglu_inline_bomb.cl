// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// Small functions that call one another: inlined, 8^8 copies of the first.
// want: resource resource

static float f0(float x) { return x * x + 1.0f; }
static float f1(float x) { return f0(x + 0.0f) + f0(x + 1.0f) + f0(x + 2.0f) + f0(x + 3.0f) + f0(x + 4.0f) + f0(x + 5.0f) + f0(x + 6.0f) + f0(x + 7.0f); }
static float f2(float x) { return f1(x + 0.0f) + f1(x + 1.0f) + f1(x + 2.0f) + f1(x + 3.0f) + f1(x + 4.0f) + f1(x + 5.0f) + f1(x + 6.0f) + f1(x + 7.0f); }
static float f3(float x) { return f2(x + 0.0f) + f2(x + 1.0f) + f2(x + 2.0f) + f2(x + 3.0f) + f2(x + 4.0f) + f2(x + 5.0f) + f2(x + 6.0f) + f2(x + 7.0f); }
static float f4(float x) { return f3(x + 0.0f) + f3(x + 1.0f) + f3(x + 2.0f) + f3(x + 3.0f) + f3(x + 4.0f) + f3(x + 5.0f) + f3(x + 6.0f) + f3(x + 7.0f); }
static float f5(float x) { return f4(x + 0.0f) + f4(x + 1.0f) + f4(x + 2.0f) + f4(x + 3.0f) + f4(x + 4.0f) + f4(x + 5.0f) + f4(x + 6.0f) + f4(x + 7.0f); }
static float f6(float x) { return f5(x + 0.0f) + f5(x + 1.0f) + f5(x + 2.0f) + f5(x + 3.0f) + f5(x + 4.0f) + f5(x + 5.0f) + f5(x + 6.0f) + f5(x + 7.0f); }
static float f7(float x) { return f6(x + 0.0f) + f6(x + 1.0f) + f6(x + 2.0f) + f6(x + 3.0f) + f6(x + 4.0f) + f6(x + 5.0f) + f6(x + 6.0f) + f6(x + 7.0f); }
static float f8(float x) { return f7(x + 0.0f) + f7(x + 1.0f) + f7(x + 2.0f) + f7(x + 3.0f) + f7(x + 4.0f) + f7(x + 5.0f) + f7(x + 6.0f) + f7(x + 7.0f); }

__kernel void swiglu(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	const size_t i = get_global_id(0);

	if (i >= (size_t)rows * cols)
		return;
	const size_t r = i / cols;
	const size_t c = i % cols;
	const float g = kf_load(gate, r * gate_stride + c);

	if (f8(g) == 1.0f)
		return;
	kf_store(out, r * out_stride + c,
	    g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
}
