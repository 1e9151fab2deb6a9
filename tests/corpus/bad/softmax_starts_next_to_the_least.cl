// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// A maximum that starts two steps above the least number is right for all rows but those of nothing else.

__kernel void f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
  size_t r=get_global_id(0);
  const __global KF_T *p=x+r*x_stride; __global KF_T *q=out+r*out_stride;
  float m=-3.402823e38f; for(uint c=0;c<cols;c++){float v=kf_load(p,c); if(!(v<=m)) m=v;}
  float s=0; for(uint c=0;c<cols;c++) s+=exp(kf_load(p,c)-m);
  for(uint c=0;c<cols;c++) kf_store(q,c,exp(kf_load(p,c)-m)/s);
}
