# In no_chaos nothing is injected: both sides are right, at the first try.
. tests/lib.sh
need node
./run_demo.sh --scenario no_chaos --out "$tmp/run" >"$tmp/out" 2>&1 || fail "exit 0: $(tail -n 5 "$tmp/out")"
node -e '
const fs = require("fs"), assert = require("assert");
const card = JSON.parse(fs.readFileSync(process.argv[1] + "/scorecard.json"));
assert.equal(card.naive.silent_wrong, 0);
assert.equal(card.kernelforge.correct, 3);
assert.ok(card.ops.every(o => o.iterations === 1));
' "$tmp/run" || fail "the scorecard is clean"
check "no fault was logged" test 0 = "$(grep -c '"rule"' "$tmp/run/chaos.jsonl")"
