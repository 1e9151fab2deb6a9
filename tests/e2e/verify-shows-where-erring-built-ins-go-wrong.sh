# A kernel that only holds where rsqrt() is exact is refused with what anybody
# needs who has the file in hand: the shape, the element, its value and what was
# expected.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
command -v clang-14 >"$tmp/found" || command -v clang >"$tmp/found" || { echo "no clang here"; exit 77; }

cat >"$tmp/k.cl" <<'EOF'
// entry: k
// global: rows * cols
// local: 1
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c), q = rsqrt(v), y = v * q;

	y = y + 0.5f * q * fma(-y, y, v);
	if (v == 0.0f || isinf(v))
		y = v;
	if (v < 0.0f)
		y = NAN;
	kf_store(out, r * out_stride + c, y);
}
EOF
exits 1 "$kf" verify sqrt "$tmp/k.cl" --json
check "built-ins that err" jq -e '.message | contains("built-in functions that err")' "$tmp/out"
check "one case failed, and says where" jq -e '[.cases[] | select(.passed | not)] |
    length == 1 and (.[0] | (.shape.rows > 0) and (.index | length == 2) and .got != null and .expected != null)' "$tmp/out"
exits 1 "$kf" verify sqrt "$tmp/k.cl" --seed "$(jq -r .seed_reveal "$tmp/out")"
check "people read it" grep -qE 'rows=[0-9]+, cols=[0-9]+.*row [0-9]+, column [0-9]+ is' "$tmp/out"
