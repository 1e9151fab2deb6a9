# In rope_demo the naive baseline claims 3 of 3 and one is silently wrong;
# KernelForge verifies 3 of 3, rope at its second try, with no false claim.  A
# browser that --open starts is not waited for.
. tests/lib.sh
need node
mkdir "$tmp/bin"
cat >"$tmp/bin/xdg-open" <<END
#!/bin/sh
echo \$\$ "\$1" >"$tmp/opened"
exec tail -f /dev/null
END
chmod +x "$tmp/bin/xdg-open"
PATH=$tmp/bin:$PATH ./run_demo.sh --open --out "$tmp/run" >"$tmp/out" 2>&1 || fail "exit 0: $(tail -n 5 "$tmp/out")"
read -r browser address <"$tmp/opened"
check "the browser is still there" kill "$browser"
check "and was given the control room" grep -qx "control room    $address" "$tmp/out"
cat >"$tmp/check.js" <<'EOF'
const fs = require('fs'), assert = require('assert');
const card = JSON.parse(fs.readFileSync(process.argv[2] + '/scorecard.json'));
const op = n => card.ops.find(o => o.op === n);
assert.deepEqual([card.naive.claimed, card.naive.correct, card.naive.silent_wrong, card.naive.total], [3, 2, 1, 3]);
assert.deepEqual([card.kernelforge.claimed, card.kernelforge.correct, card.kernelforge.silent_wrong, card.kernelforge.total], [3, 3, 0, 3]);
assert.equal(op('rope').iterations, 2);
assert.equal(op('rope').naive_claimed, true);
assert.equal(op('rope').naive_correct, false);
assert.equal(op('rmsnorm').iterations, 1);
assert.ok(card.ops.every(o => o.state === 'verified_correct' || o.state === 'perf_measured'));
const faults = fs.readFileSync(process.argv[2] + '/chaos.jsonl', 'utf8').trim().split('\n').map(JSON.parse).filter(f => !('closed' in f));
assert.ok(faults.some(f => f.rule === 'lie' && f.result === 'fired'));
assert.ok(faults.some(f => f.rule === 'brownout' && f.result === 'fired'));
EOF
node "$tmp/check.js" "$tmp/run" || fail "the scorecard is the expected one"
