// Rows and columns by a grid of a fixed size, a loop in a loop.
// entry: swiglu_grid_both
// global: min(cols,128), min(rows,64)
// local: 1, 1

__kernel void swiglu_grid_both(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
  for(size_t r=get_global_id(1);r<rows;r+=get_global_size(1)) for(size_t c=get_global_id(0);c<cols;c+=get_global_size(0)){
   float g=kf_load(gate,r*gate_stride+c),u=kf_load(up,r*up_stride+c); kf_store(out,r*out_stride+c,g/(1.0f+exp(-g))*u); }
}
