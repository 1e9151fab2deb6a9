// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// The variances of two halves are merged by a product that overflows where they are huge and opposite, before the division that would have kept it small.

__kernel void f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
  size_t r=get_global_id(0);
  const __global KF_T *p=x+r*x_stride; uint h=cols/2; float ma=0,sa=0,mb=0,sb=0;
  for(uint c=0;c<h;c++){float v=kf_load(p,c),d=v-ma; ma+=d/(float)(c+1); sa=fma(d,v-ma,sa);}
  for(uint c=h;c<cols;c++){float v=kf_load(p,c),d=v-mb; mb+=d/(float)(c-h+1); sb=fma(d,v-mb,sb);}
  float na=(float)h,nb=(float)(cols-h),n=(float)cols,d=h==0?0.0f:mb-ma; float mean=h==0?mb:ma+d*nb/n, m2=sa+sb+d*d*na*nb/n;
  float sd=sqrt(m2/n+eps);
  for(uint c=0;c<cols;c++) kf_store(out,r*out_stride+c,(kf_load(p,c)-mean)/sd*kf_load(weight,c)+kf_load(bias,c));
}
