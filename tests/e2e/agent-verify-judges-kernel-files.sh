# kernelforge verify passes a good kernel, names what is wrong with a bad one,
# kills one that hangs, and leaves no process behind.
. tests/lib.sh
need jq
holds() { jq -e "$@" >/dev/null; }
good=scenarios/rope_demo/answers/deepseek-v4-flash/rope.cl
kf=$BIN/kernelforge

exits 0 "$kf" verify rope $good
check "a good kernel is called so" grep -q 'rope: verified_correct' "$tmp/out"
exits 0 "$kf" verify rope $good --json
check "the JSON says the same" holds '.op == "rope" and .verdict == "verified_correct" and
    .class == "" and .smoke == true and (.cases | length) > 8 and
    all(.cases[]; .passed) and all(.stages[]; .status == "passed" or
    (.name == "oclgrind" and .status == "skipped" and (.note | endswith("is not installed"))) or
    (.name == "exact" and .note == "rope has no exact form"))' "$tmp/out"

mkdir "$tmp/here"
exits 0 env -C "$tmp/here" TMPDIR=. "$(realpath "$kf")" verify rope "$(realpath $good)"
check "TMPDIR may be relative" grep -q 'rope: verified_correct' "$tmp/out"
check "and nothing is left in it" test -z "$(ls -A "$tmp/here")"

# The interleaved layout: right at position 0, wrong everywhere else.
sed -e 's/row \* dim + d + half_dim/row * dim + 2 * d + 1/' \
    -e 's/row \* dim + d\([,)]\)/row * dim + 2 * d\1/' $good >"$tmp/interleaved.cl"
check "the mutant differs" sh -c "! cmp -s $good $tmp/interleaved.cl"
exits 1 "$kf" verify rope "$tmp/interleaved.cl" --json
check "it passes smoke and fails a holdout" holds '.verdict == "verified_incorrect" and
    .smoke == true and .class == "wrong" and any(.cases[]; .passed | not)' "$tmp/out"
exits 1 "$kf" verify rope "$tmp/interleaved.cl"
check "people read the suspected cause" grep -q '^suspected cause: pairs (2d, 2d+1)' "$tmp/out"
lacks "nothing claims" -q verified_correct "$tmp/out"
seed=$(sed -n 's/.*--seed //p' "$tmp/out")
cp "$tmp/out" "$tmp/some"
exits 1 "$kf" verify rope "$tmp/interleaved.cl" --all --seed "$seed"
failed=$(grep -cE ' FAILED .*[0-9e+-]+' "$tmp/out")
failed=$((failed - $(grep -cE ' FAILED +[0-9.]+ ms ' "$tmp/out")))
check "all that failed are told of: $failed" test "$failed" -gt 6
check "that six of them were shown is said" grep -qx "$((failed - 6)) more failed; --all shows them" "$tmp/some"
lacks "and not where all are" -q 'more failed' "$tmp/out"

while read -r op kernel cause; do
	# That nothing wrote the memory before is Oclgrind's to find.
	[ "$kernel" != sum_last_keeps_state ] || command -v oclgrind-kernel >"$tmp/found" || continue
	exits 1 "$kf" verify "$op" "tests/corpus/bad/$kernel.cl"
	check "what is suspected of $kernel" grep -q "^suspected cause: $cause" "$tmp/out"
done <<EOF
swiglu swiglu_fork_by_shape something else done for some positions
sum_last sum_last_keeps_state memory that nothing wrote before
sum_last sum_last_missing_barrier a missing barrier
EOF

head='// entry: rope
// global: batch * seq
// local: 1
__kernel void rope(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)'
printf '%s { while (1); }\n' "$head" >"$tmp/hang.cl"
exits 1 "$kf" verify rope "$tmp/hang.cl" --json --deadline-ms 300
check "a hung kernel is a timeout" holds '.verdict == "timeout" and .smoke != true' "$tmp/out"
printf '%s { out[0] = ; }\n' "$head" >"$tmp/syntax.cl"
exits 1 "$kf" verify rope "$tmp/syntax.cl" --json
check "a kernel that does not compile" holds '.verdict == "compile_error" and .smoke == null' "$tmp/out"
check "no process is left" sh -c "! pgrep -f '$tmp/(hang|syntax).cl'"

exits 2 "$kf" verify nosuch $good
check "an unknown operator is named" grep -q nosuch "$tmp/err"
exits 2 "$kf" verify rope "$tmp/none.cl"
echo 'not a kernel' >"$tmp/prose.cl"
exits 2 "$kf" verify rope "$tmp/prose.cl"
check "one clear line" test "$(wc -l <"$tmp/err")" = 1
exits 3 "$kf" verify rope $good --device no-such-device
