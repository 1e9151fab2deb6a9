// entry: f
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Places of 32 bits behind a guard that looks at two strides of three.

__kernel void f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
  size_t i=get_global_id(0),r=i/cols,c=i%cols;
  if((size_t)rows*a_stride<=0xffffffffu && (size_t)rows*b_stride<=0xffffffffu){ uint r2=(uint)r,c2=(uint)c; kf_store(out,r2*out_stride+c2,kf_load(a,r2*a_stride+c2)*kf_load(b,r2*b_stride+c2)); }
  else kf_store(out,r*out_stride+c,kf_load(a,r*a_stride+c)*kf_load(b,r*b_stride+c));
}
