# A byte order mark before a kernel is none of its text: the verdict and the
# hash are those of the file without it, and a second mark is an error.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
good=tests/corpus/good/relu_2d.cl
seed=$(printf '%064d' 7)

exits 0 "$kf" verify relu $good --json --seed "$seed"
cp "$tmp/out" "$tmp/without"
{ printf '\357\273\277'; cat $good; } >"$tmp/marked.cl"
exits 0 "$kf" verify relu "$tmp/marked.cl" --json --seed "$seed"
check "the same source" test "$(jq -r .source_sha256 "$tmp/out")" = "$(jq -r .source_sha256 "$tmp/without")"
{ printf '\357\273\277\357\273\277'; cat $good; } >"$tmp/twice.cl"
exits 2 "$kf" verify relu "$tmp/twice.cl"
sed 's/kf_store(/kf_store_(/' "$tmp/marked.cl" >"$tmp/wrong.cl"
line=$(grep -n 'kf_store_(' "$tmp/wrong.cl" | head -1 | cut -d: -f1)
exits 1 "$kf" verify relu "$tmp/wrong.cl"
check "its lines have their numbers" grep -qE "(:|line )$line\\b" "$tmp/out"
