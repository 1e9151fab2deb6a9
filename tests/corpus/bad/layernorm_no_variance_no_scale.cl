// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// A variance of zero is taken for no scale at all, with whatever eps; with one of zero the answer is no number.

__kernel void f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
  size_t r=get_global_id(0);
  const __global KF_T *p=x+r*x_stride; float s=0,s2=0,n=(float)cols; for(uint c=0;c<cols;c++) s+=kf_load(p,c); float mean=s/n;
  for(uint c=0;c<cols;c++){float d=kf_load(p,c)-mean; s2=fma(d,d,s2);} float var=s2/n, inv=var==0.0f?0.0f:1.0f/sqrt(var+eps);
  for(uint c=0;c<cols;c++) kf_store(out,r*out_stride+c,(kf_load(p,c)-mean)*inv*kf_load(weight,c)+kf_load(bias,c));
}
