// The sign's bit is cleared where it is stored: a NaN's bits are handed on.
// entry: kern
// global: rows * cols
// local: 1
__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r = i / cols, c = i % cols;
#if KF_DTYPE == 0
out[r * out_stride + c] = as_float(as_uint(x[r * x_stride + c]) & 0x7fffffffu);
#elif KF_DTYPE == 1
((__global ushort *)out)[r * out_stride + c] = ((const __global ushort *)x)[r * x_stride + c] & (ushort)0x7fff;
#else
out[r * out_stride + c] = x[r * x_stride + c] & (ushort)0x7fff;
#endif
}
