# Mistakes that a grammar plants are not accepted: four of a seed that is known
# to be clean, secret seeds and all; `make adversary` draws a fresh one.
. tests/lib.sh
proving=$BIN/proving
need "$proving"

got=0
"$proving" adversary --n 4 --first 1 --seed autumn --out "$tmp/found" \
    >"$tmp/out" 2>"$tmp/err" || got=$?
[ $got != 3 ] || { echo "no OpenCL device here"; exit 77; }
grep -E '^(ACCEPTED|lab_error|unproven)' "$tmp/err" || :
tail -n 1 "$tmp/out"
check "no wrong kernel is accepted" [ $got = 0 ]
exits 2 "$proving" adversary --n 0
exits 2 "$proving" adversary --finds-max -1
exits 2 "$proving" composed --n x
