# A mutant of every corruption operator is made of the known-good kernels: all
# that pass smoke and are wrong are refused, no good kernel is; and a corpus
# with a wrong kernel in it fails.
. tests/lib.sh
proving=$BIN/proving
need "$proving"

got=0
"$proving" mutation --subset 1 >"$tmp/out" 2>"$tmp/err" || got=$?
[ $got != 3 ] || { echo "no OpenCL device here"; exit 77; }
cat "$tmp/out"
check "every silent lie is caught" [ $got = 0 ]
check "the kill rate is told" grep -q 'kill rate 100.0%.* 0 of ' "$tmp/out"

mkdir "$tmp/corpus"
cp tests/corpus/bad/swiglu_inaccurate.cl "$tmp/corpus"
exits 1 "$proving" mutation --corpus "$tmp/corpus" --only half_store --json
check "a refused kernel is named" \
	grep -q '"kernel": "swiglu_inaccurate.cl"' "$tmp/out"
exits 2 "$proving" mutation --corpus "$tmp/none"
exits 2 "$proving"
