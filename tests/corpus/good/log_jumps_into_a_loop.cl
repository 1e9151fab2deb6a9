// entry: lg
// global: rows
// local: 1
// A remainder by four has four cases, and no default.
__kernel void lg(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0), i = r * x_stride, o = r * out_stride;
	uint n = (cols + 3) / 4;
#define S kf_store(out, o++, log(kf_load(x, i++)))
	switch (cols % 4) {
	case 0: do { S;
	case 3:      S;
	case 2:      S;
	case 1:      S;
		} while (--n > 0);
	}
}
