# An unproven verdict names the built-in and which of its arguments was never
# the one that it takes, so that its author knows what to delete.
. tests/lib.sh
kf=$BIN/kernelforge

cat >"$tmp/k.cl" <<'K'
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;
	const float v = kf_load(x, r * x_stride + c);
	const uint hash = (cols * 2654435761u) ^ (rows * 2246822519u);

	kf_store(out, r * out_stride + c,
	    fabs(v) + (float)(min(hash * x_stride, 1u) - 1u));
}
K
exits 1 "$kf" verify abs "$tmp/k.cl"
check "the built-in and its argument are named" \
    grep -q "line 13 (min()'s first argument is never the smaller one)" "$tmp/out"
