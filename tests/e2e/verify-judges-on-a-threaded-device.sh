# A device whose threads do not survive a fork judges too: each child opens it for
# itself, with two threads and in the replay with one.  What is right is verified
# there, what is wrong refused, a hang ended; the sandbox is whole, nothing is left.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
mkdir "$tmp/scratch"

exits 0 "$kf" doctor --json
device=$(jq -r '[.devices[] | select(.cpu and (.survives_fork | not) and .control_ms)][0].name // empty' "$tmp/out")
[ -n "$device" ] || { echo "no OpenCL CPU device with threads here"; exit 77; }
check "doctor misses no wall around it" test "$(jq -c --arg d "$device" \
    '.sandbox_missing as $no | .devices[] | select(.name == $d) | .sandbox_missing' "$tmp/out")" = "[]"
name=$device

judged() { # exit, verdict, operator, file
	exits "$1" env TMPDIR="$tmp/scratch" "$kf" verify --device "$name" --json --deadline-ms 3000 "$3" "$4"
	check "$4: $2" test "$(jq -r .verdict "$tmp/out")" = "$2"
}

judged 0 verified_correct softmax tests/corpus/good/softmax_group.cl
check "it says which device" jq -e --arg d "$device" '.device | contains($d)' "$tmp/out"
judged 0 verified_correct matmul tests/corpus/good/matmul_tiled.cl
# Oclgrind is no device, and not everywhere.
check "no stage was left out that could be run" jq -e \
    --arg missing "$(command -v oclgrind-kernel >/dev/null || echo oclgrind)" '[.skipped[].stage | select(. != $missing)] == []' "$tmp/out"
judged 1 verified_incorrect swiglu tests/corpus/bad/swiglu_swallows_nan.cl
judged 1 verified_incorrect swiglu tests/corpus/bad/swiglu_far_write.cl
judged 1 timeout swiglu tests/corpus/bad/swiglu_hang.cl
check "nothing is left" test -z "$(ls -A "$tmp/scratch")"
exits 3 "$kf" verify --device no-such-device relu kernels/plain/relu.cl
check "a device that is not there is named" grep -q 'no OpenCL CPU device whose name contains "no-such-device"' "$tmp/err"
