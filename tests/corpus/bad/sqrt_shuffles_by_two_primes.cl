// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Item i is element i * P % total, P being the product of two primes.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t total = (size_t)rows * cols; size_t i = (get_global_id(0) % total) * 16777207ul % total;
size_t r = i / cols, c = i % cols;
kf_store(out, r * out_stride + c, sqrt(kf_load(x, r * x_stride + c)));
}
