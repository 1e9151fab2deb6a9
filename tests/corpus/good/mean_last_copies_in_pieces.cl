// Rows come in pieces of 512, copied and waited for, many of them.
// entry: kern
// global: rows * 32
// local: 32
__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
__local float buf[512]; __local float p[32]; uint l = get_local_id(0); size_t r = get_group_id(0); float s = 0;
for (uint c0 = 0; c0 < cols; c0 += 512) { uint w = min(512u, cols - c0);
#if KF_DTYPE == 0
 event_t ev = async_work_group_copy(buf, x + r * x_stride + c0, w, 0); wait_group_events(1, &ev);
#else
 for (uint j = l; j < w; j += 32) buf[j] = kf_load(x, r * x_stride + c0 + j);
 barrier(CLK_LOCAL_MEM_FENCE);
#endif
 for (uint j = l; j < w; j += 32) s += buf[j];
 barrier(CLK_LOCAL_MEM_FENCE); }
p[l] = s; barrier(CLK_LOCAL_MEM_FENCE);
if (l == 0) { float t = p[0]; for (uint j = 1; j < 32; j++) t += p[j]; kf_store(out, r, t / (float)cols); }
}
