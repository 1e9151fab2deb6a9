// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A row's number by a float quotient, corrected once, while there are fewer than 2^26 elements.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r, c;
if ((size_t)rows * cols < 67108864ul) { uint q = (uint)((float)(uint)i / (float)cols); int rem = (int)((uint)i - q * cols); if (rem < 0) { q--; rem += (int)cols; } else if (rem >= (int)cols) { q++; rem -= (int)cols; } r = q; c = (uint)rem; }
else { r = i / cols; c = i % cols; }
kf_store(out, r * out_stride + c, log(kf_load(x, r * x_stride + c)));
}
