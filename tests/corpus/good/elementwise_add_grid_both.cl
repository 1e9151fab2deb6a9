// Rows and columns by a grid of groups of a fixed size.
// entry: elementwise_add_grid_both
// global: 32, 16
// local: 8, 4

__kernel void elementwise_add_grid_both(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
  for(size_t r=get_global_id(1);r<rows;r+=get_global_size(1)) for(size_t c=get_global_id(0);c<cols;c+=get_global_size(0))
   kf_store(out,r*out_stride+c,kf_load(a,r*a_stride+c)+kf_load(b,r*b_stride+c));
}
