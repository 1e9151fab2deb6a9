// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// The mean of two columns as the middle between them: an infinity meets itself.

__kernel void f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
  size_t r=get_global_id(0);
  const __global KF_T *p=x+r*x_stride; if(cols==2){ float u=kf_load(p,0),v=kf_load(p,1); kf_store(out,r,u+(v-u)*0.5f); return; }
  float s=0; for(uint c=0;c<cols;c++) s+=kf_load(p,c); kf_store(out,r,s/(float)cols);
}
