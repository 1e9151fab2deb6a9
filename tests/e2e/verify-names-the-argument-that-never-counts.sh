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

# A line that holds several ways is told once, each of them once.
cat >"$tmp/k.cl" <<'K'
// entry: k
// global: rows
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	float s = 0.0f, e = 0.0f;

	for (uint c = 0; c < cols; c++)
		s += kf_load(x, r * x_stride + c);
	if (s > 3.0f && s < 2.0f)
		s = isfinite(s) && isfinite(e) ? s + e : s;
	kf_store(out, r, s);
}
K
exits 1 "$kf" verify sum_last "$tmp/k.cl"
check "the line is told once" test "$(grep -o 'line 13' "$tmp/out" | wc -l)" = 1
lacks "each way is told once" 'never false; never true; never' "$tmp/out"
