# The helpers in clients/ start kf-chaos for a test, inject faults by name, say what
# acted, and fail a test whose fault never did: in Node, and where pytest is there in it.
. tests/lib.sh
need node
KF_CHAOS=$(cd "$BIN" && pwd)/kf-chaos
export KF_CHAOS
cat >"$tmp/test.mjs" <<'EOF2'
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
const { startChaos } = await import(pathToFileURL(process.argv[2]));
const ask = (chaos) => fetch(`${chaos.baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify({ messages: [] }) });
const chaos = await startChaos({ faults: [{ type: 'http_error', status: 429, retry_after: '1', attempt: 1 }] });
assert.equal((await ask(chaos)).status, 429);
assert.equal((await ask(chaos)).status, 200);
const { requests, fired } = await chaos.stop();
assert.equal(requests, 2);
assert.deepEqual(fired.map((f) => [f.fault, f.attempt]), [['http_error', 1]]);
const idle = await startChaos({ faults: [{ type: 'llm_loop' }] });
assert.equal((await ask(idle)).status, 200);
await assert.rejects(idle.stop(), /never acted: llm_loop/);
await assert.rejects(startChaos({ faults: [{ type: 'http_eror' }] }), /did you mean "http_error"/);
EOF2
timeout 60 node "$tmp/test.mjs" "$PWD/clients/node/index.mjs" >"$tmp/out" 2>&1 || fail "in Node: $(cat "$tmp/out")"
python3 -c 'import pytest' 2>/dev/null || { echo "no pytest here: Node alone was tried"; exit 0; }
cat >"$tmp/test_chaos.py" <<'PY'
import json, urllib.error, urllib.request
import pytest
pytest_plugins = ["pytest_kf_chaos"]
def ask(chaos):
    return json.load(urllib.request.urlopen(chaos.base_url + "/chat/completions", b'{"messages": []}'))
def test_rate_limit(chaos):
    chaos.fault("http_error", status=429, attempt=1)
    with pytest.raises(urllib.error.HTTPError):
        ask(chaos)
    assert ask(chaos)["choices"]
    assert chaos.requests() == 2
    assert [f["fault"] for f in chaos.fired()] == ["http_error"]
def test_idle(chaos):
    chaos.fault("llm_loop")
    ask(chaos)
    with pytest.raises(AssertionError, match="never acted: llm_loop"):
        chaos.stop()
    chaos._rules.pop()
PY
PYTHONPATH=clients/pytest_kf_chaos timeout 100 python3 -m pytest -q -p no:cacheprovider "$tmp/test_chaos.py" >"$tmp/out" 2>&1 || fail "in pytest: $(cat "$tmp/out")"
