// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// A macro that grows into billions of tokens.
// want: resource resource

#define A1(x) x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x
#define A2(x) A1(x) A1(x) A1(x) A1(x) A1(x) A1(x) A1(x) A1(x)
#define A3(x) A2(x) A2(x) A2(x) A2(x) A2(x) A2(x) A2(x) A2(x)
#define A4(x) A3(x) A3(x) A3(x) A3(x) A3(x) A3(x) A3(x) A3(x)
#define A5(x) A4(x) A4(x) A4(x) A4(x) A4(x) A4(x) A4(x) A4(x)
#define A6(x) A5(x) A5(x) A5(x) A5(x) A5(x) A5(x) A5(x) A5(x)
#define A7(x) A6(x) A6(x) A6(x) A6(x) A6(x) A6(x) A6(x) A6(x)

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
	float x = g;

	A7(x += 1.0f;)
	if (x == 12.0f)
		return;
	kf_store(out, r * out_stride + c,
	    g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
}
