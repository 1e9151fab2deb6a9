// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// A path for four columns, of which all rows lose NaNs.

__kernel void f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
  size_t r=get_global_id(0);
  const __global KF_T *p=x+r*x_stride; __global KF_T *q=out+r*out_stride;
  if(cols==4){ for(uint c=0;c<4;c++) kf_store(q,c,fmax(kf_load(p,c),0.0f)); return; }
  for(uint c=0;c<cols;c++){ float v=kf_load(p,c); kf_store(q,c,v<0.0f?0.0f:v); }
}
