// entry: f
// global: rows * cols
// local: 1
// want: verified_incorrect -
// One column, and a pitch that is the number of rows: the other pitch is taken for 1.

__kernel void f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
  size_t i=get_global_id(0),r=i/cols,c=i%cols; size_t bs=b_stride; if(cols==1&&rows==a_stride) bs=1;
  kf_store(out,r*out_stride+c,kf_load(a,r*a_stride+c)+kf_load(b,r*bs+c));
}
