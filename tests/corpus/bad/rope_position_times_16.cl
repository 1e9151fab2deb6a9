// entry: f
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// A position times 16 in an int: from 2^27 on it turns over.

__kernel void f(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
  size_t i=get_global_id(0); uint h=dim/2; size_t d=i%h,t=i/h,s=t%seq; size_t o=t*dim+d; float x1=kf_load(x,o),x2=kf_load(x,o+h); int pos=positions[s];
  int e=pos*16; float a=(float)e*(0.0625f*pow(base,-2.0f*(float)d/(float)dim)); float si=sin(a),co=cos(a);
  kf_store(out,o,x1*co-x2*si); kf_store(out,o+h,x2*co+x1*si);
}
