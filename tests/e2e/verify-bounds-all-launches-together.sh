# A kernel none of whose launches is late, but which takes long in each, is a
# timeout once all launches together have had six deadlines.
. tests/lib.sh
need jq
kf=$BIN/kernelforge

# A sixth of the counting, for a sixth of the deadline that the corpus has.
sed 's/60000u/10000u/' tests/corpus/bad/relu_slow_together.cl >"$tmp/slow.cl"
check "it counts" grep -q 10000u "$tmp/slow.cl"
exits 1 "$kf" verify relu "$tmp/slow.cl" --deadline-ms 333 --json
check "a timeout, and of all launches" jq -e '.verdict == "timeout" and
    (.message | test("all launches so far took more than [0-9]+ ms of processor time together"))' "$tmp/out"
ms=$(jq -r .message "$tmp/out" | sed 's/.*more than \([0-9]*\) ms.*/\1/')
check "six deadlines, and a little for large launches: $ms ms" test "$ms" -ge 1998 -a "$ms" -lt 8000
