# Without an OpenCL platform verify says so in one line and exits 3.
. tests/lib.sh
kf=$BIN/kernelforge
mkdir "$tmp/none" "$tmp/scratch"

exits 3 env OCL_ICD_VENDORS="$tmp/none" TMPDIR="$tmp/scratch" \
    "$kf" verify swiglu kernels/plain/swiglu.cl
check "one clear line" test "$(wc -l <"$tmp/err")" = 1
check "it says what is missing" grep -q 'no OpenCL platform' "$tmp/err"
check "nothing is left" test -z "$(ls -A "$tmp/scratch")"
