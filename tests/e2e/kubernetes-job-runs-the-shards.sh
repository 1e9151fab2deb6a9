# The indexed Job of docs/scaling.md is a manifest as Kubernetes wants it, and
# what its container runs, run here once an index as the cluster would, does
# the shards; one that is started again goes on; merge has the whole.
. tests/lib.sh
need jq
need python3
python3 -c 'import yaml' 2>/dev/null || { echo "no python3-yaml here"; exit 77; }
kf=$BIN/kernelforge
PATH=$PATH:$(cd "$BIN" && pwd)
cat >"$tmp/read.py" <<'EOF'
import re, sys, yaml
text = next(t for t in re.findall(r"```yaml[^\n]*\n(.*?)```", open("docs/scaling.md").read(), re.S) if "kind: Job" in t)
job = yaml.safe_load(text)
need = lambda what, ok: ok or sys.exit("not true: " + what)
need("batch/v1 Job", (job["apiVersion"], job["kind"]) == ("batch/v1", "Job"))
need("a name", re.fullmatch("[a-z0-9]([-a-z0-9]*[a-z0-9])?", job["metadata"]["name"]))
spec, pod = job["spec"], job["spec"]["template"]["spec"]
need("keys of a Job", set(spec) <= {"completions", "parallelism", "completionMode", "backoffLimit", "backoffLimitPerIndex", "template"})
need("indexed", spec["completionMode"] == "Indexed" and spec["completions"] >= spec["parallelism"] >= 1)
need("a Job's restart policy", pod["restartPolicy"] in ("OnFailure", "Never"))
need("keys of a pod", set(pod) <= {"restartPolicy", "containers", "volumes", "securityContext"})
(c,) = pod["containers"]
need("keys of a container", set(c) <= {"name", "image", "command", "args", "env", "volumeMounts", "resources", "securityContext"})
need("every mount is a volume", {m["name"] for m in c["volumeMounts"]} == {v["name"] for v in pod["volumes"]})
need("strings in env", all(isinstance(e["value"], str) for e in c["env"]))
need("as many shards as completions", "/%d\"" % spec["completions"] in c["args"][0])
need("sh -c", c["command"] == ["sh", "-c"] and len(c["args"]) == 1)
out = c["args"][0]
for m in c["volumeMounts"]:
    out = out.replace(m["mountPath"] + "/", sys.argv[1] + m["mountPath"] + "/")
open(sys.argv[1] + "/container.sh", "w").write(out.replace("/%d\"" % spec["completions"], "/3\""))
EOF
python3 "$tmp/read.py" "$tmp" || fail "the manifest"
mkdir "$tmp/runs" "$tmp/scenario"
dir=scenarios/rope_demo
jq --arg answers "$PWD/$dir/answers/" '{chaos, name: "job", seed, identity, agent, proxies: {models: {listen: "127.0.0.1:0", mode: "script", answers: $answers}}}
    | .agent.naive = false' $dir/scenario.json >"$tmp/scenario/scenario.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
for index in 0 1 2 1; do
	exits 0 env JOB_COMPLETION_INDEX=$index GATEWAY_URL="http://$(address chaos models)" sh -c "$(cat "$tmp/container.sh")"
done
exits 0 "$kf" merge "$tmp"/runs/*
check "the shards are the whole" grep -q '^3 of 3 operators verified' "$tmp/out"
check "the pod that came again went on" test "$(jq -s 'map(.resumed)' -c "$tmp"/runs/[0-2]/run.json)" = '[0,1,0]'
