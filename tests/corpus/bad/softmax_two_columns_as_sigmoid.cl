// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// Two columns as the sigmoid of their difference: an infinity in one of them is no NaN there.

__kernel void f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
  size_t r=get_global_id(0);
  const __global KF_T *p=x+r*x_stride; __global KF_T *q=out+r*out_stride;
  if(cols==2){ float u=kf_load(p,0),v=kf_load(p,1); kf_store(q,0,1.0f/(1.0f+exp(v-u))); kf_store(q,1,1.0f/(1.0f+exp(u-v))); return; }
  float m=kf_load(p,0); for(uint c=1;c<cols;c++){float v=kf_load(p,c); if(!(v<=m)) m=v;}
  float s=0; for(uint c=0;c<cols;c++) s+=exp(kf_load(p,c)-m);
  for(uint c=0;c<cols;c++) kf_store(q,c,exp(kf_load(p,c)-m)/s);
}
