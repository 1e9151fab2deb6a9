# `kernelforge mutants` lists the sites of a file or of an operator's known-good
# kernels, and makes a mutant that passes smoke and is refused by the verifier.
. tests/lib.sh
kf=$BIN/kernelforge
good=kernels/plain/rope.cl

exits 0 "$kf" mutants "$good" --json
for key in operator site line contract; do
	check "every mutant names its $key" [ "$(grep -c "\"$key\":" "$tmp/out")" -gt 10 ]
done
exits 0 "$kf" mutants "$good"
check "the table names the operators" grep -q 'rope.cl.*rope_interleaved.*0' "$tmp/out"
exits 0 "$kf" mutants rope
check "an operator stands for its kernels" grep -q 'rope_row.cl' "$tmp/out"

exits 0 "$kf" mutants "$good" --apply rope_interleaved --site 0
cp "$tmp/out" "$tmp/rope_mutant.cl"
check "one line of the kernel changed, or a few" \
	[ "$(diff "$good" "$tmp/rope_mutant.cl" | grep -c '^>')" -le 3 ]
exits 1 "$kf" verify rope "$tmp/rope_mutant.cl" --json
check "the mutant passes smoke" grep -q '"smoke": true' "$tmp/out"
check "and is refused" grep -q '"verdict": "verified_incorrect"' "$tmp/out"

exits 2 "$kf" mutants "$good" --apply rope_interleaved --site 99
check "a site that is not there is named" grep -q 'site: found 99' "$tmp/err"
exits 2 "$kf" mutants "$good" --apply no_such_thing
exits 2 "$kf" mutants /nonexistent.cl
exits 2 "$kf" mutants rope --corpus "$tmp/none"
exits 2 "$kf" mutants
