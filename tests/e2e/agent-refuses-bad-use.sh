# Every misuse of kernelforge gets one clear line and the exit code of its
# kind; a dead gateway or a missing device leaves a run directory that reads.
. tests/lib.sh
need jq
holds() { jq -e "$@" >/dev/null; }
kf=$BIN/kernelforge
scenario=scenarios/no_chaos/scenario.json

one_line() { check "one clear line: $1" test "$(grep -c 'kernelforge error' "$tmp/err")" = 1; }

exits 0 "$kf" --help
for command in ledger ops report run verify; do
	check "--help lists $command" grep -q "^  $command " "$tmp/out"
done
for command in ledger ops report run verify; do
	exits 0 "$kf" $command --help
done
exits 2 "$kf" nosuch
one_line "an unknown command"
exits 2 "$kf" run --scenario $scenario --gateway http://127.0.0.1:1
one_line "no --out"
exits 2 env -u TFY_GATEWAY_BASE_URL "$kf" run --scenario $scenario --out "$tmp/a"
one_line "no gateway"
exits 2 "$kf" run --scenario $scenario --out "$tmp/a" --gateway 127.0.0.1
one_line "a gateway that is no URL"
for url in 127.0.0.1 ftp://127.0.0.1/v1 http:// http://127.0.0.1:99999/v1 'http://127.0.0.1/v1?k=sk-Query9Qx7Lm2Pw4' 'http://127.0.0.1/v1#f' http://user:Pass9Qx7Lm2@127.0.0.1/v1; do
	exits 2 "$kf" run --op rope --out "$tmp/unmade" --base-url "$url"
	one_line "$url"
	check "no run is made of $url" test ! -e "$tmp/unmade"
	check "a key or a password is not said: $(cat "$tmp/err")" sh -c '! grep -q "Query9Qx\|Pass9Qx" "$1"' - "$tmp/err"
done
exits 2 env OPENAI_API_KEY="$(printf 'a\nb')" "$kf" run --op rope --out "$tmp/unmade" --base-url http://127.0.0.1:1
check "no run is made with a key of two lines" test ! -e "$tmp/unmade"
exits 2 "$kf" run --scenario "$tmp/none.json" --out "$tmp/a" --gateway http://127.0.0.1:1
one_line "no such scenario"
echo '{"chaos": 1, "name": "x", "agent": {"ops": ["rope"], "speed": 1}}' >"$tmp/odd.json"
exits 2 "$kf" run --scenario "$tmp/odd.json" --out "$tmp/b" --gateway http://127.0.0.1:1
check "the unknown key is named" grep -q /agent/speed "$tmp/err"
exits 2 "$kf" run --op nosuch --out "$tmp/b" --gateway http://127.0.0.1:1
one_line "an unknown operator"
exits 2 "$kf" run --op rope --out "$tmp/b" --resume --gateway http://127.0.0.1:1
one_line "nothing to resume"
exits 2 "$kf" verify relu kernels/plain/relu.cl --iteration 1
one_line "an attempt of no run"
check "what it needs is named" grep -q -- '--iteration.*--from' "$tmp/err"
exits 2 "$kf" mutants /dev/null
one_line "a kernel of no bytes"

# Port 1 of loopback: nobody listens there.
exits 3 "$kf" run --op rope --no-naive --seed 1 --out "$tmp/dead" --gateway http://127.0.0.1:1
one_line "a dead gateway"
check "it names the gateway" grep -q 'gateway is unreachable: http://127.0.0.1:1' "$tmp/err"
check "run.json says so" holds '.exit == 3 and .scenario == "ad-hoc"' "$tmp/dead/run.json"
exits 0 "$kf" ledger check "$tmp/dead/ledger.jsonl"
check "the open try is recorded" grep -q '"state":"attempted"' "$tmp/dead/ledger.jsonl"
check "the answer claims nothing" grep -q '^rope: NOT VERIFIED' "$tmp/dead/summary.txt"
check "the page is there" grep -q '</html>' "$tmp/dead/report.html"
exits 2 "$kf" run --op rope --out "$tmp/dead" --gateway http://127.0.0.1:1
check "a second run does not overwrite" grep -q 'holds a run' "$tmp/err"
exits 3 "$kf" run --op rope --out "$tmp/nodev" --device no-such --gateway http://127.0.0.1:1
one_line "no device"

exits 2 "$kf" report "$tmp/nothing-here"
exits 2 "$kf" ledger check "$tmp/nothing-here"
exits 2 "$kf" ledger guess "$tmp/dead/ledger.jsonl"
exits 0 "$kf" ops --json
check "ops as JSON" holds 'length >= 3 and all(.[]; .name and .category and
    (.arguments | length) > 0 and .smoke and .holdouts >= 8)' "$tmp/out"
