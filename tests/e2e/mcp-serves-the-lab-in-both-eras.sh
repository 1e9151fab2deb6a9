# Over standard input: every tool in both eras, with progress, tasks and
# cancellation; the verdict is the one of `verify --json`, without what a model
# is not told.
. tests/lib.sh
need python3
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "shown", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/tests/data/agent/resume/"}},
 "agent": {"ops": ["rope"], "profile": "demo", "deadline_ms": 1200, "naive": false}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
mkdir "$tmp/runs"
exits 0 "$BIN"/kernelforge run --scenario "$tmp/scenario.json" --gateway "http://$(address chaos models)" --out "$tmp/runs/one"
cp -r "$tmp/runs/one" "$tmp/runs/edited"
sed -i 's/"state":"abandoned"/"state":"verified_correct"/; s/"state":"verified_incorrect"/"state":"verified_correct"/' "$tmp/runs/edited/ledger.jsonl"
! cmp -s "$tmp/runs/one/ledger.jsonl" "$tmp/runs/edited/ledger.jsonl" || fail "the ledger was edited"
sed 's/v > 0.0f ?/v < 0.0f ?/' kernels/plain/relu.cl >"$tmp/wrong.cl"
"$BIN"/kernelforge verify relu "$tmp/wrong.cl" --json >"$tmp/wrong.json" || true

export BIN tmp
PYTHONPATH=tests/clients python3 - <<'PY' || fail "what the client expected"
import json, os, re, signal
from mcp_client import *

tmp = os.environ["tmp"]
right, wrong = open("kernels/plain/relu.cl").read(), open(tmp + "/wrong.cl").read()
c = Stdio("--runs", tmp + "/runs", "--jobs", "2")

# the legacy era
hello = c.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})["result"]
assert hello["protocolVersion"] == "2025-11-25" and hello["serverInfo"]["name"] == "kernelforge"
assert c.ask("initialize", {"protocolVersion": "1999-01-01"})["result"]["protocolVersion"] == "2025-11-25"
c.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
assert c.ask("ping")["result"] == {}
tools = c.ask("tools/list")["result"]["tools"]
names = ["list_ops", "get_contract", "compile_kernel", "verify_kernel", "bench_kernel", "get_ledger"]
assert [t["name"] for t in tools] == names
for t in tools:
    assert t["inputSchema"]["type"] == t["outputSchema"]["type"] == "object" and t["description"]

# the modern one, on the same connection
found = c.ask("server/discover", {"_meta": META})["result"]
assert found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete"
for listed in (found, c.ask("tools/list", {"_meta": META})["result"]):
    assert listed["ttlMs"] > 0 and listed["cacheScope"] == "public" and listed["resultType"] == "complete"
    assert listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "kernelforge"
for method in ("ping", "initialize", "tasks/result"):
    assert c.ask(method, {"_meta": META})["error"]["code"] == -32601, method
old = c.ask("tools/list", {"_meta": dict(META, **{"io.modelcontextprotocol/protocolVersion": "1900-01-01"})})["error"]
assert old["code"] == -32022 and old["data"] == {"supported": ["2026-07-28"], "requested": "1900-01-01"}
assert c.ask("server/discover")["error"]["code"] == -32602

# every tool
ops = value_of(c.call("list_ops"))["ops"]
assert len(ops) == 20 and {"name", "category", "formula", "arguments", "hidden_cases"} == set(ops[0])
assert "kf_load" in value_of(c.call("get_contract", {"op": "relu"}, META))["contract"]
compiled = value_of(c.call("compile_kernel", {"op": "relu", "source": right}))
assert compiled["verdict"] == "compiled" and compiled["smoke"] is None
assert value_of(c.call("compile_kernel", {"op": "relu", "source": "// entry: k\n// global: 1\n// local: 1\n__kernel void k( {"}))["verdict"] != "compiled"

notes = []
verdict = value_of(c.call("verify_kernel", {"op": "relu", "source": right}, {"progressToken": "p"}, notes))
assert verdict["verdict"] == "verified_correct" and verdict["seed_by"] == "lab" and verdict["class"] == ""
done = [n["params"]["progress"] for n in notes]
assert len(done) > 5 and done == sorted(set(done)) and all(n["params"]["progressToken"] == "p" for n in notes)

# a stage that stands still is no silence: clients give up on that
slow = c.send("tools/call", {"name": "verify_kernel", "arguments": {"op": "relu", "source": right}, "_meta": {"progressToken": "s"}})
children = []
while not children:
    children = open("/proc/%d/task/%d/children" % (c.process.pid, c.process.pid)).read().split()
os.kill(int(children[0]), signal.SIGSTOP)
told = []
while not told or told[-1]["params"]["message"] != "still at it":
    told.append(c.hear())
os.kill(int(children[0]), signal.SIGCONT)
while "id" not in told[-1]:
    told.append(c.hear())
assert told[-1]["id"] == slow and value_of(told.pop())["verdict"] == "verified_correct"
done = [n["params"]["progress"] for n in told]
assert done == sorted(set(done)) and all(n["params"]["progressToken"] == "s" for n in told)

# the same verdict as the command line's, by the same seed, and nothing that helps to cheat
said = json.load(open(tmp + "/wrong.json"))
head = dict(l[3:].split(": ", 1) for l in wrong.splitlines() if l.startswith(("// entry", "// global", "// local")))
parts = {"source": wrong, "entry": head["entry"], "global_size": [x.strip() for x in head["global"].split(";")], "local_size": [x.strip() for x in head["local"].split(";")]}
verdict = value_of(c.call("verify_kernel", dict(parts, op="relu", seed=said["seed"], nonce=said["nonce"]), META))
for key in ("op", "verdict", "class", "smoke", "suspect", "source_sha256", "seed_commit", "needs", "coverage", "batch_invariant"):
    assert verdict[key] == said[key], (key, verdict[key], said[key])
assert verdict["verdict"] == "verified_incorrect" and verdict["seed_by"] == "caller"
three = lambda cases: [(x["name"], x["dtype"], x["passed"]) for x in cases]
assert three(verdict["cases"]) == three(said["cases"])[:len(verdict["cases"])]
assert [x["passed"] for x in verdict["cases"]] == [True] * (len(verdict["cases"]) - 1) + [False]
for word in ("seed_reveal", "\"nonce\"", "\"shape\"", "\"got\"", "\"expected\"", "\"index\"", "\"worst\""):
    assert word not in json.dumps(verdict), word


# a kernel that writes sizes, a count or an input into its output learns a power of ten of one case
powers = [0, None] + [10.0 ** d for d in range(-9, 10)]
spy = """// entry: k
// global: (rows * cols + 499) / 500 * 500
// local: 500
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint xs, uint os) {
  size_t i = get_global_id(0); if (i >= (size_t)rows * cols) return; uint r = i / cols, c = i % cols;
  float v = kf_load(x, (size_t)r * xs + c), y = v != v ? v : fmax(v, 0.0f);
  kf_store(out, (size_t)r * os + c, LEAK);
}
"""
for leak in ("(float)(cols % 100) * 1e10f", "i == 0 ? y + 1e10f * v : y", "y + 1.0f"):
    told = value_of(c.call("verify_kernel", {"op": "relu", "source": spy.replace("LEAK", leak)}))
    assert told["verdict"] != "verified_correct", leak
    assert re.fullmatch(r'case "[^"]*" \([a-z0-9]+\): [a-z_]+|[a-z_, ]+', told["message"]), told["message"]
    assert all(x["passed"] for x in told["cases"][:-1]), told["cases"]
    for x in told["cases"]:
        assert set(x) == {"name", "dtype", "passed"} or (x["max_abs_diff"] in powers and x["bound_ratio"] in powers), x
    assert told["needs"]["local_size"] == 512, told["needs"]
for told in (hello["instructions"], found["instructions"], tools[3]["description"]):
    assert "no formal proof" in told and "verified_correct" in told

assert "has no speed" in text_of(c.call("bench_kernel", {"op": "relu", "source": wrong}))
assert value_of(c.call("get_ledger"))["runs"] == ["edited", "one"]
run = value_of(c.call("get_ledger", {"run": "one"}))
assert run["holds"] is True and run["ops"][0]["op"] == "rope" and "seed" not in json.dumps(run)
edited = value_of(c.call("get_ledger", {"run": "edited"}, META))
assert edited["holds"] is False and edited["problems"] and "verified_correct" not in json.dumps(edited)

# tasks, by either era's rules
job = {"op": "relu", "source": right}
task = c.call("compile_kernel", job, TASKS)["result"]
assert task["resultType"] == "task" and task["status"] == "working" and task["ttlMs"] > 0
while task["status"] == "working":
    task = c.ask("tasks/get", {"taskId": task["taskId"], "_meta": TASKS})["result"]
assert task["status"] == "completed" and task["result"]["structuredContent"]["verdict"] == "compiled"
assert c.ask("tasks/update", {"taskId": task["taskId"], "inputResponses": {}, "_meta": TASKS})["result"]["resultType"] == "complete"
task = c.call("compile_kernel", job, task={"ttl": 60000})["result"]["task"]
answer = c.ask("tasks/result", {"taskId": task["taskId"]})
assert value_of(answer)["verdict"] == "compiled"
assert answer["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] == task["taskId"]
task = c.call("verify_kernel", job, task={})["result"]["task"]
waits = c.send("tasks/result", {"taskId": task["taskId"]})
c.send("tasks/cancel", {"taskId": task["taskId"]}, "cancel")
both = {m["id"]: m for m in (c.hear(), c.hear())}
assert both["cancel"]["result"]["status"] == "cancelled" and both[waits]["error"]["code"] == -32602
assert c.ask("tasks/get", {"taskId": task["taskId"], "_meta": META})["error"]["code"] == -32021
assert c.ask("tasks/get", {"taskId": "nobody"})["error"]["code"] == -32602

# a call that is cancelled is never answered, and others are meanwhile
lost = c.send("tools/call", {"name": "bench_kernel", "arguments": {"op": "matmul"}}, "lost")
assert c.ask("ping")["result"] == {}
c.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": lost, "reason": "changed my mind"}})
assert value_of(c.call("compile_kernel", job))["verdict"] == "compiled"
assert c.end() == 0
PY
