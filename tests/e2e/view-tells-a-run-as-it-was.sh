# kf-view shows what is in a run directory and nothing else: complete and in
# order in a pipe, within the width it is given, the same cast bytes every
# time, and a hostile or broken directory neither drives the terminal nor
# passes for a good one.
. tests/lib.sh
need node
need tmux
need python3
demo_run "$tmp/run"
view=$BIN/kf-view

# The beats of the story, in their order.
"$view" "$tmp/run" --explain --width 160 >"$tmp/told" || fail "exit 0"
lacks "no text of ours is replaced" -n '?? ' "$tmp/told"
lacks "no line ends in a space" -n ' $' "$tmp/told"
lacks "tests are no proof" -niE 'proof[^.]|prove' "$tmp/told"
cat >"$tmp/beats" <<'END'
broken on purpose, by a seed
Two agents ask
≠ CHAOS is a proxy .* On purpose
◆ JUDGE looks at each claim, of either agent, after it was made
▪ PLANTED: the models are scripts that we wrote, under names of real ones that had no part in it
^naive   rope$
^naive ▸ asks the script "deepseek-v4-flash"$
^naive ≠ chaos changed the kernel: rope_interleaved$
^naive   from line 23, the model's, then chaos's version:$
^naive · .*\+ d\);$
^naive ≠ .*2 \* d\);$
^naive ~ smoke test passes, on the changed kernel$
^naive ! claims: rope is correct$
^naive ◆ judge: SILENTLY WRONG \(10 holdouts fail\)
^naive   rmsnorm$
^naive ≠ chaos: the provider is down \(503\)$
^naive   http_error, by the scenario's rule "brownout"$
^naive · arrived as the model wrote it$
^naive ◆ judge: right$
^forge   rope, try 1$
^forge » Chaos strikes both agents alike: KernelForge gets the same rewritten kernel
^forge ~ smoke test passes, on the changed kernel$
^forge ▪ gate: 10/14 hidden holdouts FAILED .*✗
^forge ✗ .*: off by [0-9]
^forge   suspected: pairs
^forge » .*Chaos had changed it; no agent can know that
^forge ↑ gateway escalates: the script "deepseek-coder"$
^forge   why, in its answer's HTTP header x-tfy-routing: reason=quality-escalation$
^forge » So much is told. Shapes, values, seeds and expected outputs stay hidden.*This model is a script
^forge ▸ the script is told this, and no more:$
^forge   That failed: wrong\.$
^forge » Staged, openly: to show a way out, chaos spares the second model, for both agents
^forge · arrived as the model wrote it$
^forge   chaos changed only the other script's answers$
^forge ▪ gate: 14/14 hidden holdouts passed .*
^forge ★ rope verified, and claimed$
^forge » The judge, after the claim: the same tests with other secret values, for both agents alike
^forge ◆ judge: right$
^forge   rmsnorm, try 1$
^forge » On purpose, .* a short outage, called a brownout
^forge ≠ chaos: the provider is down \(503\)$
^forge ↻ gateway: 503 -> asked again -> 200$
^forge ★ rmsnorm verified
^forge ★ swiglu verified
3 of 3 operators verified \(exit code 0\)$
made silently wrong by chaos: 1 of the naive agent's$
The judge looked at all claims with other values
^        rope +claim WRONG +verified, try 2$
▪ PLANTED: the models are scripts
≠ PLANTED, chaos: 4 faults, drawn by the seed call by call; 2 of them change a kernel
≠ STRUCK ALIKE: 1 of the 1 first answers that chaos changed
◆ NOT PLANTED: the verdicts
★ VERIFIED: passed every hidden holdout .* docs/limits.md
^ +\$ ./run_demo.sh --scenario rope_demo --seed 42$
^ +\$ build/kernelforge run --ops rope --base-url URL --model NAME --out DIR$
silently wrong +1 of 3 .* 0 of 3
END
at=0
while IFS= read -r beat; do
	line=$(tail -n +$((at + 1)) "$tmp/told" | grep -nE -m 1 -e "$beat" | cut -d: -f1)
	[ -n "$line" ] || fail "after line $at there is \"$beat\""
	at=$((at + line))
done <"$tmp/beats"

for width in 20 40 80 100 160; do
	"$view" "$tmp/run" --explain --width $width >"$tmp/w" || fail "width $width"
	awk -v w=$width '{ gsub(/[\200-\277]/, "") } length > w { print; bad = 1 } END { exit bad }' \
	    "$tmp/w" >&2 || fail "nothing is wider than $width columns"
done

# On a terminal all that is said of a run is as wide as that.
{
	echo "$view $tmp/run --plain --explain"
	echo "$BIN/kernelforge ledger check $tmp/run"
	echo "$BIN/kernelforge ledger show $tmp/run"
	echo "$BIN/kf-chaos cover scenarios/rope_demo/scenario.json $tmp/run/chaos.jsonl"
} | python3 tests/fits.py 40,60 >"$tmp/wide" || fail "a line is wider than the terminal: $(cat "$tmp/wide")"

# Files that play without us: the same bytes every time.
for kind in cast svg; do
	"$view" "$tmp/run" --$kind "$tmp/1.$kind" || fail "$kind"
	"$view" "$tmp/run" --$kind "$tmp/2.$kind" || fail "$kind again"
	cmp -s "$tmp/1.$kind" "$tmp/2.$kind" || fail "two ${kind}s of a run are equal"
done
node -e '
const lines = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map(JSON.parse);
const assert = require("assert");
assert.equal(lines[0].version, 2);
assert.ok(lines.length > 50);
let t = 0;
for (const [at, kind, data] of lines.slice(1)) { assert.ok(at >= t && kind === "o" && typeof data === "string"); t = at; }
assert.ok(t > 30, "it lasts over half a minute: " + t);
' "$tmp/1.cast" || fail "the cast is asciinema v2"

# A beat alone: listed, drawn still, and as text within its size.
"$view" "$tmp/run" --beats "$tmp/beats.jsonl" || fail "a list of beats"
node -e '
const beats = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map(JSON.parse);
const assert = require("assert");
let at = 0;
beats.forEach((b, i) => { assert.equal(b.beat, i + 1); assert.equal(b.at_ms, at); at += b.hold_ms; });
for (const kind of ["begin", "asked", "intact", "fault", "retried", "changed", "smoke", "claim", "holdouts", "caught", "told", "stages", "verified", "judged", "end", "yours"])
  assert.ok(beats.some(b => b.kind === kind && (b.op || b.pane === "both")), kind);
const caught = beats.filter(b => b.kind === "caught");
assert.equal(caught.length, 1);
assert.equal(caught[0].op + caught[0].try, "rope1");
' "$tmp/beats.jsonl" || fail "beats in order, each with its kind"
last=$(wc -l <"$tmp/beats.jsonl")
# What went by is told by what it came to: no pane begins inside a statement,
# and one that begins inside a try names the try.
for size in "100 26" "100 30" "80 24" "40 24"; do
	for beat in 3 5 9 13 18 31 32 33 50 53 60 $((last - 1)); do
		"$view" "$tmp/run" --explain --beat $beat --width ${size% *} --height ${size#* } >"$tmp/still"
		node -e '
		const rows = require("fs").readFileSync(0, "utf8").split("\n").map(r => [...r]);
		const at = rows.findIndex(r => /^NAIVE AGENT: /.test(r.join("")));
		for (const from of [0, 47].slice(0, process.argv[1] < 100 ? 1 : 2))
			for (const y of from ? [at] : [at, rows.findIndex(r => /^KERNELFORGE: /.test(r.join("")))])
				if (y >= 0 && /^(    |· |≠ (const|kf_)|✓)/.test(rows[y + 1].slice(from).join("")))
					throw rows[y + 1].join("");
		' "${size% *}" <"$tmp/still" || fail "beat $beat at $size begins inside a statement"
	done
done
"$view" "$tmp/run" --explain --beat 13 --width 80 --height 24 >"$tmp/still"
grep -qx '  rope \.\.\.' "$tmp/still" || fail "a try whose head went by is named"
"$view" "$tmp/run" --explain --beat 13 --width 100 --height 26 >"$tmp/still"
grep -q 'SILENTLY WRONG' "$tmp/still" || fail "the lie is still on the screen when the naive agent ends"
for beat in 1 $last; do
	"$view" "$tmp/run" --explain --beat "$beat" --width 80 --height 24 >"$tmp/still"
	lacks "what was planted has its place at 80 x 24, beat $beat" -q 'more, in report' "$tmp/still"
done
end=$(grep -n '"kind":"end"' "$tmp/beats.jsonl" | cut -d: -f1)
"$view" "$tmp/run" --beat "$end" --width 60 --height 30 >"$tmp/still" || fail "a beat as text"
[ "$(wc -l <"$tmp/still")" = 30 ] && grep -q 'silently wrong' "$tmp/still" || fail "30 rows of the end"
"$view" "$tmp/run" --beat 3 --width 100 --height 26 | head -n 1 | grep -qx 'KernelForge rope_demo, seed 42, scripted models' ||
    fail "a still, which is shown in any order, has no count"
"$view" "$tmp/run" --beat 3 --svg "$tmp/still.svg" && ! grep -q '@keyframes' "$tmp/still.svg" ||
    fail "a still does not move"
rc=0; "$view" "$tmp/run" --beat $((last + 1)) >/dev/null 2>"$tmp/err" || rc=$?
[ $rc = 2 ] && grep -q "expected 1 to $last" "$tmp/err" || fail "a beat that is not there is bad input"

# The recording as a whole, captures of a terminal among it.
for i in 1 2; do
	sh demo/record.sh --run "$tmp/run" --suite "$tmp/run" --out "$tmp/rec$i" >/dev/null || fail "record.sh"
done
diff -r "$tmp/rec1" "$tmp/rec2" || fail "the same run gives the same bytes"
for still in begin lie claim caught escalated told brownout verified scorecard yours; do
	[ -s "$tmp/rec1/$still.svg" ] || fail "a still of $still"
	grep -q "^== $still\$" "$tmp/rec1/terminal-80x24.txt" || fail "$still on a terminal"
done
grep -q 'claim right' "$tmp/rec1/twenty.svg" || fail "the table by operator"
rm "$tmp/rec1/twenty.svg"
mkdir "$tmp/it's odd"
cp -r "$tmp/run" "$tmp/it's odd/a run"
sh demo/record.sh --run "$tmp/it's odd/a run" --out "$tmp/it's odd/rec" >/dev/null || fail "a folder with an odd name"
diff -r "$tmp/rec1" "$tmp/it's odd/rec" || fail "is recorded like any"
if [ -w /dev/full ]; then
	for how in "--cast -" "--svg -" "--beats -" "--beat 1" "--plain"; do
		rc=0; "$view" "$tmp/run" $how >/dev/full 2>/dev/null || rc=$?
		[ $rc = 3 ] || fail "a full disk is said ($how)"
	done
fi
rc=0; sh demo/record.sh --run "$tmp/none" --out "$tmp/rec3" 2>/dev/null || rc=$?
[ $rc = 2 ] || fail "no run, no recording"

# On a real terminal, at three sizes, and when it is resized.
# Letters are counted, whatever the locale of who tests.
screen_shows() { tmux -L "kf$$" capture-pane -p -t v | LC_ALL=C.UTF-8 grep -qE "$1"; }
trap 'tmux -L "kf$$" kill-server 2>/dev/null || true; leave' EXIT
# A server that ends with its last session may be met while it ends.
tmux -L "kf$$" -f /dev/null new-session -d -s keeper cat
for size in "40 24" "80 24" "100 30" "160 45"; do
	set -- $size
	tmux -L "kf$$" -f /dev/null new-session -d -s v -x "$1" -y "$2" \
	    "$view $tmp/run --pace slow --explain"
	await screen_shows 'Two agents ask'
	tmux -L "kf$$" send-keys -t v ' '
	await screen_shows 'asks the script .deepseek'
	screen_shows '^· as sent  ≠ chaos  ~ looks right' || fail "marks are explained at $1 columns"
	tmux -L "kf$$" send-keys -t v ' '
	await screen_shows 'chaos changed the kernel'
	screen_shows 'NAIVE AGENT' || fail "the pane has its title at $1 columns"
	tmux -L "kf$$" resize-window -t v -x 60 -y 20
	await screen_shows '^(━|─){30}.{0,31}$'
	tmux -L "kf$$" send-keys -t v q
	await sh -c "! tmux -L kf$$ has-session -t v"
done

# What it came to stays on the terminal behind it; Ctrl-Z gives the terminal
# back as it was, and `fg` draws the same picture again.
tmux -L "kf$$" new-session -d -s v -x 80 -y 24 "PS1='ready ' ENV= exec dash -i"
await screen_shows '^ready'
tmux -L "kf$$" send-keys -t v "stty -a >$tmp/stty; $view $tmp/run --pace slow" Enter
await screen_shows 'Two agents ask'
tmux -L "kf$$" send-keys -t v C-z
await screen_shows '(Stopped|Suspended)'
! screen_shows 'Two agents ask' || fail "the other screen is left"
tmux -L "kf$$" send-keys -t v "stty -a | diff - $tmp/stty && echo as it was" Enter
await screen_shows '^as it was'
tmux -L "kf$$" send-keys -t v "fg" Enter
await screen_shows 'Two agents ask'
tmux -L "kf$$" send-keys -t v ' '
await screen_shows 'asks the script .deepseek'
tmux -L "kf$$" send-keys -t v q
await screen_shows '^silently wrong +1 of 3 .* 0 of 3'
screen_shows '3 of 3 operators verified' || fail "with its sentence"
tmux -L "kf$$" send-keys -t v "stty -a | diff - $tmp/stty && echo as it was at last" Enter
await screen_shows '^as it was at last'

# Ctrl-C ends it as any program, and gives the terminal back.
tmux -L "kf$$" send-keys -t v "clear; $view $tmp/run --pace slow" Enter
await screen_shows 'Two agents ask'
tmux -L "kf$$" send-keys -t v C-c
await sh -c "! tmux -L kf$$ capture-pane -p -t v | grep -q 'Two agents ask'"
tmux -L "kf$$" send-keys -t v 'echo ended by $?; stty -a | diff - '"$tmp/stty && echo as it was again" Enter
await screen_shows '^ended by 130'
await screen_shows '^as it was again'
tmux -L "kf$$" kill-session -t v

# A terminal that is closed under it ends it, without a word in its log.
tmux -L "kf$$" new-session -d -s v "$view $tmp/run --pace slow 2>$tmp/closed; echo \$? >$tmp/closed.rc"
await screen_shows 'Two agents ask'
pane=$(tmux -L "kf$$" list-panes -t v -F '#{pane_pid}')
view_pid=$(ps -o pid= --ppid "$pane" | head -n 1 | tr -d ' ')
tmux -L "kf$$" kill-session -t v
await sh -c "! kill -0 ${view_pid:-$pane} 2>/dev/null"
[ ! -s "$tmp/closed" ] || fail "nothing is said to a terminal that is gone"

# Text from outside: no escape sequence, no bidi mark, no markup is let out.
cp -r "$tmp/run" "$tmp/hostile"
node -e '
const fs = require("fs"), f = process.argv[1] + "/chaos.jsonl";
const bad = "\u001b[2J\u202e</text><script>\u0007";
fs.writeFileSync(f, fs.readFileSync(f, "utf8").split("\n").filter(Boolean)
  .map(l => JSON.stringify({ ...JSON.parse(l), rule: bad, operator: bad, before: bad, after: bad + "x" })).join("\n") + "\n");
' "$tmp/hostile"
rc=0; "$view" "$tmp/hostile" >"$tmp/told" 2>"$tmp/err" || rc=$?
[ $rc = 1 ] && grep -q 'EVIDENCE BROKEN' "$tmp/err" || fail "a hostile directory is shown, and not called good: exit $rc"
! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$tmp/told" || fail "no control byte comes through"
lacks "no bidi mark comes through" -q "$(printf '\342\200\256')" "$tmp/told"
rc=0; "$view" "$tmp/hostile" --svg "$tmp/h.svg" 2>/dev/null || rc=$?
[ $rc = 1 ] || fail "svg of a hostile directory: exit $rc"
lacks "markup is escaped" -q '<script' "$tmp/h.svg"
head -n 1 "$tmp/told" | grep -q 'EVIDENCE BROKEN' || fail "a broken chain is said first"
for edit in 'sed -i "s/\"silent_wrong\": *1/\"silent_wrong\":0/" scorecard.json' 'sed -i "s/\"naive_correct\": *false/\"naive_correct\":true/" scorecard.json' \
    'sed -i "s/\"exit\": *0/\"exit\":1/" run.json' 'sed -i "s/\"iterations\": *2/\"iterations\":1/" scorecard.json' 'rm ledger.jsonl' 'sed -i 1s/rope/rop3/ naive.jsonl' ': >chaos.jsonl' 'echo >>kernels/rope/2.cl' 'sed -i "\$d" ledger.jsonl' 'echo >>kernels/rope/1.json'; do
	rm -rf "$tmp/edited"
	cp -r "$tmp/run" "$tmp/edited"
	(cd "$tmp/edited" && sh -c "$edit")
	rc=0; "$view" "$tmp/edited" --plain >"$tmp/told" 2>/dev/null || rc=$?
	[ $rc = 1 ] || fail "exit $rc of a run that was changed: $edit"
	"$view" "$tmp/edited" --plain --width 40 2>/dev/null | awk '{ gsub(/[\200-\277]/, "") } length > 40 { print; bad = 1 } END { exit bad }' >&2 ||
	    fail "the alarm is as narrow as all else"
	head -n 1 "$tmp/told" | grep -q 'EVIDENCE BROKEN' || fail "what is not as the run left it is said first: $edit"
	lacks "and nothing rests on it: $edit" -qE '★ .* verified|arrived as the model wrote|operators verified|verified, try|judge: right$|VERIFIED|not run' "$tmp/told"
done

# Who takes the seal away as well is told of, as by ledger check.
rm -rf "$tmp/edited"
cp -r "$tmp/run" "$tmp/edited"
node -e '
const fs = require("fs"), f = process.argv[1] + "/run.json", r = JSON.parse(fs.readFileSync(f));
delete r.seal;
delete r.anchors;
fs.writeFileSync(f, JSON.stringify(r, null, 2) + "\n");
' "$tmp/edited"
rc=0; "$view" "$tmp/edited" --plain >"$tmp/told" 2>/dev/null || rc=$?
[ $rc = 1 ] && head -n 1 "$tmp/told" | grep -q 'EVIDENCE BROKEN: run.json: changed since the run ended' ||
    fail "a run of which nobody can tell is called so: exit $rc"

# A run without run.json is one of which nothing says what its files were: told
# at its top, and shown as far as its chains go.
orphan() { # DIR WHAT
	rm -f "$1/run.json"
	rc=0; "$view" "$1" --plain --explain --width 160 >"$tmp/told" 2>/dev/null || rc=$?
	[ $rc = 1 ] && head -n 1 "$tmp/told" | grep -q 'EVIDENCE BROKEN: ' || fail "$2 is shown, and not called whole: exit $rc"
}
# Its lines' hashes made anew, as who forges a log would.
rechain() { # FILE
	node -e '
	const fs = require("fs"), crypto = require("crypto"), f = process.argv[1];
	const sorted = v => Array.isArray(v) ? v.map(sorted) : v && typeof v === "object"
	  ? Object.fromEntries(Object.keys(v).sort().map(k => [k, sorted(v[k])])) : v;
	let prev = "0".repeat(64), n = 0;
	fs.writeFileSync(f, fs.readFileSync(f, "utf8").split("\n").filter(Boolean).map(l => {
	  const { hash, prev: was, wall, ...body } = JSON.parse(l);
	  body.seq = ++n;
	  if ("closed" in body) body.closed = n - 1;
	  const next = crypto.createHash("sha256").update(prev + JSON.stringify(sorted(body))).digest("hex");
	  const line = JSON.stringify(sorted({ ...body, prev, hash: next, ...(wall ? { wall } : {}) }));
	  prev = next;
	  return line + "\n";
	}).join(""));
	' "$1"
}

# A case that is off by nothing, and failed, is told by how it failed.
cp -r "$tmp/run" "$tmp/lucky"
node -e '
const fs = require("fs"), f = process.argv[1] + "/kernels/rope/1.json", r = JSON.parse(fs.readFileSync(f));
r.judged.class = "nondeterministic";
for (const c of r.judged.cases) c.max_abs_diff = 0;
fs.writeFileSync(f, JSON.stringify(r));
' "$tmp/lucky"
orphan "$tmp/lucky" "a kernel that differs from launch to launch"
grep -q '✗ "short rows at small positions" (float32): nondeterministic' "$tmp/told" || fail "by that word"

# What chaos did not touch is the model's own doing, for both agents.
lacks "what chaos changed is not the model's doing" -q 'not chaos' "$tmp/rec1"/terminal-160x45.txt
cp -r "$tmp/run" "$tmp/own"
sed -i '/"kernel_corrupt"/d' "$tmp/own/chaos.jsonl"
rechain "$tmp/own/chaos.jsonl"
orphan "$tmp/own" "a kernel that the model wrote wrong"
grep -qx 'naive · not chaos: wrong as the model wrote it' "$tmp/told" &&
    grep -qx 'forge · not chaos: wrong as the model wrote it' "$tmp/told" &&
    grep -q 'chaos had no part in it' "$tmp/told" || fail "as the model's own"
lacks "and chaos is not blamed" -q 'chaos changed' "$tmp/told"
rm "$tmp/own/chaos.jsonl"
orphan "$tmp/own" "a run without a log of chaos"
lacks "nobody is blamed, and no chaos is told of" -qi 'chaos' "$tmp/told"

# Who is struck otherwise than the other is said, where it happens and at the end.
cp -r "$tmp/run" "$tmp/half"
sed -i '/"key":"naive/d' "$tmp/half/chaos.jsonl"
orphan "$tmp/half" "a run that struck one side"
grep -q 'here the two are not struck alike' "$tmp/told" && grep -q '(503), for KernelForge alone$' "$tmp/told" ||
    fail "and says so"

# How far the story is, on each picture that explains.
heavy() { "$view" "$tmp/run" --explain --beat "$1" --width 100 --height 26 | grep -o '━' | wc -l; }
[ "$(heavy 1)" -lt "$(heavy 20)" ] && [ "$(heavy 20)" -lt 99 ] && [ "$(heavy "$last")" = 100 ] ||
    fail "a bar says how far the story is: $(heavy 1), $(heavy 20), $(heavy "$last")"

# Stopped between two writes: the record without the ledger's line is no claim,
# and the ledger's line is one without the record's figures.
rm -rf "$tmp/edited"
cp -r "$tmp/run" "$tmp/edited"
rm "$tmp/edited/run.json" "$tmp/edited/scorecard.json"
sed -i '/"rope".*"verified_correct"/,$d' "$tmp/edited/ledger.jsonl"
orphan "$tmp/edited" "a run that was stopped"
grep -q '? rope passed, and no ledger claims it' "$tmp/told" || fail "without a claim"
lacks "and no word of one" -q 'verified_correct' "$tmp/told"
cp "$tmp/run/ledger.jsonl" "$tmp/edited/"
node -e '
const fs = require("fs"), f = process.argv[1] + "/kernels/rope/2.json", r = JSON.parse(fs.readFileSync(f));
delete r.judged;
fs.writeFileSync(f, JSON.stringify(r));
' "$tmp/edited"
orphan "$tmp/edited" "a record without its verdict"
grep -q 'rope: the ledger says verified_correct' "$tmp/told" || fail "by what the ledger says"

# A run that was killed while it wrote has a torn line, and no broken chain.
rm -rf "$tmp/edited"
cp -r "$tmp/run" "$tmp/edited"
node -e '
const fs = require("fs"), dir = process.argv[1], r = JSON.parse(fs.readFileSync(dir + "/run.json"));
for (const key of ["anchors", "seal", "counts", "expectations"]) delete r[key];
fs.writeFileSync(dir + "/run.json", JSON.stringify({ ...r, exit: null }) + "\n");
' "$tmp/edited"
truncate -s -150 "$tmp/edited/ledger.jsonl"
"$view" "$tmp/edited" --plain >"$tmp/told" || fail "a run that was killed is shown"
! grep -q 'EVIDENCE BROKEN' "$tmp/told" || fail "a torn line of it breaks nothing"
grep -q '? ledger.jsonl: its last line is torn' "$tmp/told" && grep -q '? run.json: the run did not end' "$tmp/told" ||
    fail "and both are said"
sed -i '3s/rope/rop3/' "$tmp/edited/ledger.jsonl"
rc=0; "$view" "$tmp/edited" --plain >"$tmp/told" 2>/dev/null || rc=$?
[ $rc = 1 ] && grep -q 'EVIDENCE BROKEN' "$tmp/told" || fail "an edit of it does: exit $rc"

# What is missing, cannot be read, is too long or no file at all is named, and
# nothing waits for it.
lacks "a whole run misses nothing" -q MISSING "$tmp/rec1"/terminal-80x24.txt
cp -r "$tmp/run" "$tmp/holes"
rm "$tmp/holes/gateway.jsonl" "$tmp/holes/kernels/rope/2.json" "$tmp/holes/naive.jsonl"
mkfifo "$tmp/holes/naive.jsonl" "$tmp/holes/kernels/rope/2.json"
truncate -s 65M "$tmp/holes/chaos.jsonl"
rc=0; timeout 20 "$view" "$tmp/holes" >"$tmp/told" 2>/dev/null || rc=$?
[ $rc = 1 ] && head -n 1 "$tmp/told" | grep -q 'EVIDENCE BROKEN' || fail "a run with holes is shown, and not called whole: exit $rc"
for gap in 'chaos.jsonl: longer than 64 MB' 'naive.jsonl: cannot be read' 'gateway.jsonl: not there' 'kernels/rope/2.json: cannot be read'; do
	grep -q "? $gap" "$tmp/told" || fail "it says: $gap ($(grep -A9 MISSING "$tmp/told"))"
done
lacks "a log that cannot be read says nothing of an answer" -q 'arrived as the model' "$tmp/told"
# A run that crashed, and what is no run at all.
rm "$tmp/hostile/scorecard.json" "$tmp/hostile/gateway.jsonl"
orphan "$tmp/hostile" "an incomplete directory"
grep -q 'claims: rope is correct' "$tmp/told" || fail "with what is there"
grep -q '? run.json: not there' "$tmp/told" || fail "and what is not"
lacks "and nothing that a missing file would say" -q 'escalates' "$tmp/told"
rm "$tmp/hostile/chaos.jsonl"
orphan "$tmp/hostile" "a run without a log of chaos"
lacks "nothing is said of chaos" -qE 'CHAOS|arrived as' "$tmp/told"
lacks "and no end that was not reached" -q 'operators verified' "$tmp/told"
mkdir "$tmp/empty"
"$view" "$tmp/empty" --cast - >/dev/null 2>"$tmp/err" && fail "an empty folder makes no cast"
grep -q 'holds no run' "$tmp/err" || fail "and says why"
rc=0; "$view" "$tmp/empty" --plain >/dev/null 2>"$tmp/err" || rc=$?
[ $rc = 2 ] && grep -q 'holds no run' "$tmp/err" || fail "nor is it a story"
rc=0; "$view" "$tmp/none" 2>/dev/null || rc=$?
[ $rc = 2 ] || fail "a folder that is not there is bad input"
