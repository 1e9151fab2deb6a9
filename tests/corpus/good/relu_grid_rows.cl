// Rows by a grid of a fixed size, columns by a loop in each.
// entry: relu_grid_rows
// global: min(rows,64)
// local: 1

__kernel void relu_grid_rows(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
  for(size_t r=get_global_id(0);r<rows;r+=get_global_size(0)) for(size_t c=0;c<cols;c++){ float v=kf_load(x,r*x_stride+c); kf_store(out,r*out_stride+c,v<0.0f?0.0f:v); }
}
