# A stage that was left out, or that a missing tool makes impossible, stands in
# the verdict, in --json and in the ledger's claim; the rest applies.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
good=tests/corpus/good/sum_last_group.cl
holds() { jq -e "$@" >/dev/null; }

# Debian 13 has no Oclgrind: there that stage is always missing.
missing=none
command -v oclgrind-kernel >/dev/null || missing=oclgrind
for stage in ir exact oclgrind replay schedule relations; do
	exits 0 "$kf" verify sum_last $good --skip $stage --json
	check "$stage is named, and nothing else" holds --arg s $stage --arg missing $missing '
	    .verdict == "verified_correct" and
	    [.skipped[] | select(.stage == $s or .stage != $missing)] == [{ stage: $s, reason: "left out on request" }] and
	    any(.stages[]; .name == $s and .status == "skipped")' "$tmp/out"
done
exits 0 "$kf" verify sum_last $good --skip replay --skip schedule
check "people read it in the table" \
	grep -q '^schedule *skipped .*left out on request' "$tmp/out"
exits 2 "$kf" verify sum_last $good --skip nonsense
check "a stage that is none is named" grep -q nonsense "$tmp/err"
check "and all that there are" grep -q '(ir, exact, holdouts, oclgrind, replay, schedule, relations, coverage)' "$tmp/err"
exits 2 "$kf" verify sum_last $good --skip build

# A PATH with everything but one tool.
without() { # TOOL
	rm -rf "$tmp/bin"
	mkdir "$tmp/bin"
	for f in clang oclgrind-kernel; do
		[ $f = "$1" ] || ln -s "$(command -v $f)" "$tmp/bin/$f"
	done
}
need clang
need oclgrind-kernel

without oclgrind-kernel
exits 0 env PATH="$tmp/bin" "$kf" verify sum_last $good --json
cp "$tmp/out" "$tmp/no-oclgrind.json"
check "without Oclgrind one stage is missing" holds '
    .verdict == "verified_correct" and
    [.skipped[].stage] == ["oclgrind"]' "$tmp/no-oclgrind.json"
exits 1 env PATH="$tmp/bin" "$kf" verify sqrt \
    tests/corpus/bad/sqrt_hash.cl --json
cp "$tmp/out" "$tmp/bad.json"
check "the rest applies" holds '.class == "unproven"' "$tmp/bad.json"
exits 1 env PATH="$tmp/bin" "$kf" verify sum_last \
    tests/corpus/bad/sum_last_missing_barrier.cl --json
cp "$tmp/out" "$tmp/race.json"
check "the lab's own machine proves a race without it" holds '
    .class == "race"' "$tmp/race.json"
exits 0 env PATH="$tmp/bin" "$kf" doctor --json
cp "$tmp/out" "$tmp/doctor.json"
check "doctor says what it costs" holds 'any(.tools[];
    .name == "oclgrind-kernel" and (.found | not) and .cost != "")' "$tmp/doctor.json"

without clang
exits 1 env PATH="$tmp/bin" "$kf" verify sum_last $good --json
cp "$tmp/out" "$tmp/no-clang.json"
check "without clang nothing is claimed" holds '
    .verdict == "unproven" and (.message | test("clang is not installed")) and
    [.skipped[].stage] == ["ir", "schedule"]' "$tmp/no-clang.json"
exits 0 env PATH="$tmp/bin" "$kf" verify sum_last $good --skip coverage --json
cp "$tmp/out" "$tmp/on-purpose.json"
check "unless the stage is left out on purpose" holds '
    .verdict == "verified_correct" and
    [.skipped[].stage] == ["ir", "schedule", "coverage"]' "$tmp/on-purpose.json"
exits 1 env PATH="$tmp/bin" "$kf" verify swiglu \
    tests/corpus/bad/swiglu_near_read.cl --json
cp "$tmp/out" "$tmp/near.json"
check "the rest applies without clang" holds '.class == "out_of_bounds"' "$tmp/near.json"
