# A kernel that is legal and larger than anybody looks at, or holds what OpenCL C
# does not have, is at fault itself: one clear line and exit 1, and no failure of
# the lab.  What is refused is refused for the true reason.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
command -v clang-14 >"$tmp/found" || command -v clang >"$tmp/found" || { echo "no clang here"; exit 77; }

kernel() { # what stands before it, what is done to v
	cat <<EOF
// entry: k
// global: rows * cols
// local: 1
$1
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);

	$2
	kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
}
EOF
}

blamed() { # verdict, part of the message, before, done
	kernel "$3" "$4" >"$tmp/k.cl"
	exits 1 "$kf" verify relu "$tmp/k.cl" --json
	check "$2: $1" test "$(jq -r .verdict "$tmp/out")" = "$1"
	check "it says: $2" jq -e --arg s "$2" '.message | contains($s)' "$tmp/out"
}

structs='struct s0 { float a[2]; };'
calls='float f0(float v) { return v; }'
i=0
while [ $i -lt 90 ]; do
	i=$((i + 1))
	[ $i -gt 40 ] || structs="$structs struct s$i { struct s$((i - 1)) a[2]; };"
	calls="$calls float f$i(float v) { return f$((i - 1))(v); }"
done

blamed resource "variables too large" '__constant float T[4096][4096][64] = {{{1.0f}}};' \
	'v += T[c % 4096][r % 4096][0] - 1.0f;'
blamed resource "types too deep" "$structs" 'struct s40 *p = 0; v += sizeof *p * 0;'
blamed resource "calls too deep" "$calls" 'v = f90(v);'
blamed refused "a type that OpenCL C 1.2 does not have" '' 'long double w = v; v = w;'
blamed refused "a field that holds no value" 'struct e { struct {} none; float v; };' 'struct e s; s.v = v; v = s.v;'
blamed refused "printf is refused: a kernel's only output is its tensor" '' 'if (v > 1e30f) printf("%f", v);'
