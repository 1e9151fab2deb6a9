# One process at a time has a run directory; a resumed run keeps the first
# one's options, its seed above all; what the ledger bound may not change.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "own", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/tests/data/agent/resume/"}},
 "agent": {"ops": ["rope"], "profile": "demo", "deadline_ms": 1200}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/run"

killed() { as_killed "$tmp/run" "$tmp/cut" "$1"; } # LINES
# As whoever edits a file of a run that ended would leave it.
reseal() { # FILES
	python3 - "$tmp/cut" "$@" <<'EOF'
import hashlib, json, sys
d, names = sys.argv[1], sys.argv[2:]
run = json.load(open(d + "/run.json"))
for name in names:
    run["anchors"]["files"][name] = hashlib.sha256(open(d + "/" + name, "rb").read()).hexdigest()
for name in ("ledger.jsonl", "naive.jsonl"):
    last = json.loads(open(d + "/" + name).readlines()[-1])
    run["anchors"]["journals"][name] = {"lines": last["seq"], "head": last["hash"]}
del run["seal"]
run["seal"] = hashlib.sha256(json.dumps(run, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
open(d + "/run.json", "w").write(json.dumps(run, sort_keys=True, indent=2) + "\n")
EOF
}
refused() { # CODE SAYS ARGS...
	code=$1 says=$2
	shift 2
	cp "$tmp/cut/ledger.jsonl" "$tmp/before"
	exits "$code" "$kf" run --resume --out "$tmp/cut" --gateway "$url" "$@"
	check "it says why: $says" grep -q -e "$says" "$tmp/err"
	check "the ledger is as it was" cmp -s "$tmp/before" "$tmp/cut/ledger.jsonl"
}
killed 2
refused 2 'leave --seed out' --seed 6
refused 2 'leave --profile out' --profile regression
refused 2 'leave --op out' --op rmsnorm
refused 2 'leave --escalation out' --escalation another
refused 2 'leave --answer-tokens out' --answer-tokens 7
refused 2 'leave --without out' --without retry
jq '.arguments.without = ["retry"]' "$tmp/cut/run.json" >"$tmp/edited" && mv "$tmp/edited" "$tmp/cut/run.json"
refused 2 'leave --without out' --without breaker
# A run is judged on one device: on another one, asked for or not, nothing is
# done; and timed is what was begun so.
refused 2 'leave --bench out' --bench
refused 2 'leave --device out (the run was begun with .* / ' --device none-such
device=$(jq -r .device "$tmp/cut/run.json")
jq --arg is "${device%?}" '.device = $is' "$tmp/cut/run.json" >"$tmp/edited" && mv "$tmp/edited" "$tmp/cut/run.json"
refused 2 'a run is judged on one device'
jq '.device = "Another / device"' "$tmp/cut/run.json" >"$tmp/edited" && mv "$tmp/edited" "$tmp/cut/run.json"
refused 3 'no OpenCL CPU device whose name contains "Another / device"'
killed 2
sed -i 's/"seed": "5"/"seed": "6"/' "$tmp/cut/run.json"
exits 1 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
check "another seed than the one committed to" grep -q 'committed to another seed' "$tmp/err"
check "no verdict came of it" test "$(grep -c verified "$tmp/cut/ledger.jsonl")" = 0

# The answer, the route and the prompt are bound by the line that says
# generated.
for edit in 's/float/half/' 's/reason=direct/reason=other/' 's/You write OpenCL/You write open/'; do
	killed 2
	sed -i "$edit" "$tmp/cut/kernels/rope/1.json"
	check "the edit is one ($edit)" sh -c "! cmp -s $tmp/cut/kernels/rope/1.json $tmp/run/kernels/rope/1.json"
	exits 1 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
	check "the record was changed: $edit" grep -q 'not what the ledger recorded' "$tmp/err"
	exits 1 "$kf" ledger check "$tmp/cut"
done

# A ledger that lost lines which its records tell of is not made again.
lost() { # FILE SHELL
	killed 9
	(cd "$tmp/cut" && eval "$2")
	cp -r "$tmp/cut" "$tmp/before.d"
	exits 1 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
	check "$2: it is told" grep -q "$1 tells of a try whose lines ledger.jsonl has lost" "$tmp/err"
	check "$2: the records are as they were" diff -r "$tmp/before.d/kernels" "$tmp/cut/kernels"
	rm -r "$tmp/before.d"
}
lost 'kernels/rope/[12].*' ': >ledger.jsonl'
lost 'kernels/rope/[12].*' 'rm ledger.jsonl'
lost 'kernels/rope/2.*' 'sed -i 6,9d ledger.jsonl'
lost 'kernels/rope/2.*' 'sed -i 7,9d ledger.jsonl'
# And an answer to another question is not written over.
killed 6
cp "$tmp/run/kernels/rope/2.json" "$tmp/cut/kernels/rope"
python3 - "$tmp/cut/kernels/rope/2.json" <<'EOF'
import json, sys
r = json.load(open(sys.argv[1]))
for key in ("judged", "audit", "feedback", "assumptions"):
    r.pop(key, None)
r["asked"][0]["content"] += " "
open(sys.argv[1], "w").write(json.dumps(r, sort_keys=True, indent=2) + "\n")
EOF
cp "$tmp/cut/kernels/rope/2.json" "$tmp/before"
exits 1 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
check "it is told" grep -q 'kernels/rope/2.json answers another question' "$tmp/err"
check "the answer is kept" cmp "$tmp/before" "$tmp/cut/kernels/rope/2.json"

# So is the kernel that came of it, and the verdict that is said of it; a seal
# that is made again hides neither.
lines=$(wc -l <"$tmp/run/ledger.jsonl")
good=$(jq -r 'select(.state == "verified_correct") | .iteration' "$tmp/run/ledger.jsonl")
for edit in 'echo "// 1 of 1 operators verified" >>K.cl' 'cp kernels/plain/relu.cl K.cl' 'rm K.cl' \
    "sed -i 's/\"verified_correct\"/\"verified_incorrect\"/' K.json"; do
	killed $((lines - 1))
	eval "$(echo "$edit" | sed "s#K\.#$tmp/cut/kernels/rope/$good.#")"
	exits 1 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
	check "it was changed: $edit" grep -q 'not what the ledger recorded' "$tmp/err"
	exits 1 "$kf" ledger check "$tmp/cut"
	check "it is named: $edit" grep -q "kernels/rope/$good\..*: not the answer that the ledger recorded" "$tmp/err"
done
# The rest of a record too: what it cost, what the model was told of it, what it
# met, and the baseline's; a run that goes on would have sealed it.
edited() { # PYTHON FILE
	# Not with jq, which writes 1.0 as 1.
	python3 - "$tmp/cut/$2" "$1" <<'EOF'
import json, sys
name, edit = sys.argv[1:]
r = json.load(open(name))
before = json.dumps(r)
exec(edit)
assert json.dumps(r) != before
open(name, "w").write(json.dumps(r, sort_keys=True, indent=2) + "\n")
EOF
}
bound() { # PYTHON FILE
	killed $((lines - 1))
	edited "$1" "$2"
	refused 1 "$2 is not what the ledger recorded"
	exits 1 "$kf" ledger check "$tmp/cut"
	check "it is named: $2" grep -q "$2: not the answer that the ledger recorded" "$tmp/err"
}
bound 'r["spent"]["prompt_tokens"] += 1' kernels/rope/1.json
bound 'r["feedback"][0]["content"] = "well done"' kernels/rope/1.json
bound 'r["judged"]["cases"][0]["max_abs_diff"] += 1' kernels/rope/1.json
bound 'r["more"] = 1' kernels/rope/1.json
bound 'r["spent"]["calls"] += 1' "kernels/rope/$good.json"
bound 'r["judged"]["verdict"] = "verified_correct"' kernels/rope/naive.json
bound 'r["spent"]["completion_tokens"] += 1' kernels/rope/naive.json
killed $((lines - 1))
echo "// another" >>"$tmp/cut/kernels/rope/naive.cl"
refused 1 'kernels/rope/naive.cl is not what the ledger recorded'

# An audit that no line tells of yet is made again, whatever was written there.
killed $((lines - 1))
edited 'r["audit"]["verdict"] = "verified_incorrect"' "kernels/rope/$good.json"
exits 0 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
check "the audit is measured, not read" test "$(jq -r .audit.verdict "$tmp/cut/kernels/rope/$good.json")" = verified_correct
exits 0 "$kf" ledger check "$tmp/cut"

# One that the closing line tells of is held to it, also under a new seal.
for edit in 'r["audit"]["verdict"] = "verified_incorrect"' 'del r["audit"]' 'r["timing"] = 1' 'r["corrupted"] = {"rule": "none"}'; do
	rm -rf "$tmp/cut"
	cp -r "$tmp/run" "$tmp/cut"
	edited "$edit" "kernels/rope/$good.json"
	reseal "kernels/rope/$good.json"
	exits 1 "$kf" ledger check "$tmp/cut"
	check "it is named: $edit" grep -q "kernels/rope/$good.json: not " "$tmp/err"
	lacks "and nothing else is blamed" -q 'changed since' "$tmp/err"
done

# A run of before these hashes is read as ever, and gone on with.
rm -rf "$tmp/cut"
cp -r "$tmp/run" "$tmp/cut"
python3 - "$tmp/cut" <<'EOF'
import hashlib, json, sys
d = sys.argv[1]
for name in ("ledger.jsonl", "naive.jsonl"):
    lines, prev = [], "0" * 64
    for line in open(d + "/" + name):
        o = json.loads(line)
        wall = o.pop("wall", None)
        for key in ("prev", "hash", "record_sha256", "records", "worst_bound_ratio"):
            o.pop(key, None)
        body = json.dumps(o, sort_keys=True, separators=(",", ":"))
        o["prev"], o["hash"] = prev, hashlib.sha256((prev + body).encode()).hexdigest()
        prev = o["hash"]
        if wall is not None:
            o["wall"] = wall
        lines.append(json.dumps(o, sort_keys=True, separators=(",", ":")))
    open(d + "/" + name, "w").write("\n".join(lines) + "\n")
EOF
cp -r "$tmp/cut" "$tmp/old"
reseal
"$kf" ledger check "$tmp/cut" >"$tmp/out" 2>"$tmp/err" || true
lacks "no record of it is blamed" -q 'kernels/' "$tmp/err"
rm -rf "$tmp/cut"
mv "$tmp/old" "$tmp/cut"
sed -i '$d' "$tmp/cut/ledger.jsonl"
jq '.exit = null | .ended = null | del(.anchors)' "$tmp/run/run.json" >"$tmp/cut/run.json"
exits 0 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
exits 0 "$kf" ledger check "$tmp/cut"
rm -rf "$tmp/cut"
cp -r "$tmp/run" "$tmp/cut"
sed 's/pow(base/pow(2.0f * base/' "$tmp/run/kernels/rope/$good.cl" >"$tmp/cut/kernels/rope/$good.cl"
exits 1 "$kf" verify --from "$tmp/cut" --op rope
check "another kernel's verdict is not taken for the run's" grep -q 'not the one that the ledger speaks of' "$tmp/err"
sed -i 's#^__kernel#// another \n__kernel#' "$tmp/cut/kernels/rope/$good.cl"
reseal "kernels/rope/$good.cl"
exits 1 "$kf" ledger check "$tmp/cut"
check "the kernel is named" grep -q "kernels/rope/$good.cl: not the answer that the ledger recorded" "$tmp/err"

# A link that lies there leads nobody into another's files.
mkdir "$tmp/victim"
for name in .lock trace.jsonl naive.jsonl ledger.jsonl kernels kernels/rope kernels/rope/1.cl; do
	rm -rf "$tmp/planted"
	mkdir -p "$(dirname "$tmp/planted/$name")"
	ln -s "$tmp/victim/there" "$tmp/planted/$name"
	exits 2 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/planted"
	check "one line names it: $name" grep -qx "kernelforge error run: $tmp/planted/$name: found a symbolic link, .*" "$tmp/err"
	check "and there is no other" test "$(wc -l <"$tmp/err")" = 1
	check "nothing came of it: $name" test -z "$(ls -A "$tmp/victim")"
done
killed 2
mv "$tmp/cut/trace.jsonl" "$tmp/victim/there"
ln -s "$tmp/victim/there" "$tmp/cut/trace.jsonl"
cp "$tmp/victim/there" "$tmp/before"
exits 2 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
check "a resumed run says it too" grep -q 'found a symbolic link' "$tmp/err"
check "what it leads to is as it was" cmp -s "$tmp/before" "$tmp/victim/there"

# Another process has the directory: one clear line, nothing is touched.
killed 2
mkfifo "$tmp/fifo"
python3 -c '
import fcntl, sys
f = open(sys.argv[1], "w")
fcntl.lockf(f, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()' "$tmp/cut/.lock" <"$tmp/fifo" >"$tmp/held" &
exec 3>"$tmp/fifo"
await_in "$tmp/held" grep -q held "$tmp/held"
cp -r "$tmp/cut" "$tmp/before.d"
for try in "run --resume --out $tmp/cut --gateway $url" "report $tmp/cut"; do
	# shellcheck disable=SC2086
	exits 2 "$kf" $try
	check "who has it is told" grep -q 'is in use by process' "$tmp/err"
done
check "nothing was touched" diff -r "$tmp/before.d" "$tmp/cut"
exec 3>&-
wait $!
exits 0 "$kf" run --resume --out "$tmp/cut" --gateway "$url"
check "and then it is free" test "$(jq -r .fingerprint "$tmp/cut/run.json")" = "$(jq -r .fingerprint "$tmp/run/run.json")"
exits 0 "$kf" ledger check "$tmp/cut"
