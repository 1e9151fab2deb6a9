# Two demos at the same time in two folders do not disturb each other, and a
# seed changes decisions only where a rule draws (rope_demo draws nowhere).
. tests/lib.sh
./run_demo.sh --out "$tmp/a" >"$tmp/a.out" 2>&1 &
one=$!
./run_demo.sh --out "$tmp/b" --seed 7 >"$tmp/b.out" 2>&1 &
two=$!
wait $one || fail "the first exits 0: $(tail -n 5 "$tmp/a.out")"
wait $two || fail "the second exits 0: $(tail -n 5 "$tmp/b.out")"
value() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$2/run.json"; }
check "both have a run hash" test -n "$(value chaos_run_hash "$tmp/a")"
check "equal run hashes" test "$(value chaos_run_hash "$tmp/a")" = "$(value chaos_run_hash "$tmp/b")"
check "equal fingerprints" test "$(value fingerprint "$tmp/a")" = "$(value fingerprint "$tmp/b")"
