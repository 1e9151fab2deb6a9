// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// The larger of two columns: a NaN in the first is not seen.

__kernel void f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
  size_t r=get_global_id(0);
  const __global KF_T *p=x+r*x_stride; if(cols==2){ float u=kf_load(p,0),v=kf_load(p,1); kf_store(out,r,u>v?u:v); return; }
  float m=kf_load(p,0); for(uint c=1;c<cols;c++){float v=kf_load(p,c); if(!(v<=m)&&m==m) m=v;} kf_store(out,r,m);
}
