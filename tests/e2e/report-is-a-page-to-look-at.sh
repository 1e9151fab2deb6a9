# report.html says what happened, to eyes, keyboards and screen readers, in a
# real browser; of files that were edited it says so above everything else.
. tests/lib.sh
need node
need jq
need_npm_clients
need chromium
[ -d tests/clients/node_modules/playwright-core ] || { echo "no playwright-core here"; exit 77; }
demo_run "$tmp/run"
node tests/clients/report.mjs "$tmp/run/report.html" good ${SHOTS:+"$SHOTS"} || fail "a good run's page"
grep -q 'played by scripted answers, the same for both agents' "$tmp/run/report.html" || fail "who played the models is said"
grep -q '<b>Planted</b>: these answers, their own mistakes among them' "$tmp/run/report.html" &&
    grep -q 'kernelforge run --ops rope --base-url URL' "$tmp/run/report.html" || fail "and what was planted, and how to ask a real one"
grep -q 'is called <dfn>verified</dfn>: evidence' "$tmp/run/report.html" && lacks "tests are no proof" -qi 'unproved\|without proof' "$tmp/run/report.html" ||
    fail "the word is defined"
[ "$(grep -o 'judge: right' "$tmp/run/report.html" | wc -l)" = 3 ] || fail "what the judge found of each claim"

# A mistake that chaos did not make is called the script's, on both sides.
cp -r "$tmp/run" "$tmp/own"
jq -c 'select(.fault != "kernel_corrupt")' "$tmp/run/chaos.jsonl" >"$tmp/own/chaos.jsonl"
"$BIN"/kernelforge report "$tmp/own" >/dev/null 2>&1 || true
lacks "which only a log that holds can say" -q 'planted too' "$tmp/own/report.html"

# What it prints fits any width, as cells one below the other where a table does not.
for width in 20 40 60 80 100; do
	COLUMNS=$width "$BIN"/kernelforge report "$tmp/run" >"$tmp/told" 2>&1 || fail "width $width"
	awk -v w=$width '{ gsub(/[\200-\277]/, "") } length > w { print; bad = 1 } END { exit bad }' "$tmp/told" >&2 ||
	    fail "nothing is wider than $width columns"
done
COLUMNS=40 "$BIN"/kernelforge report "$tmp/run" | grep -q '^  Naive: claimed, SILENTLY WRONG$' || fail "nothing is left out"

# One character of a line that was written, and a line that is gone.
cp -r "$tmp/run" "$tmp/edited"
sed -i '2s/smoke/smok3/;2s/generated/generat3d/' "$tmp/edited/ledger.jsonl"
"$BIN"/kernelforge report "$tmp/edited" >/dev/null 2>&1 || true
node tests/clients/report.mjs "$tmp/edited/report.html" broken || fail "an edited ledger's page"
grep -qx '0 of 3 operators verified: the ledger does not hold.' "$tmp/edited/summary.txt" || fail "an edited ledger's summary: $(cat "$tmp/edited/summary.txt")"
cp -r "$tmp/run" "$tmp/cut"
sed -i '1d' "$tmp/cut/chaos.jsonl"
"$BIN"/kernelforge report "$tmp/cut" >/dev/null 2>&1 || true
node tests/clients/report.mjs "$tmp/cut/report.html" broken || fail "a cut chaos log's page"

# A baseline whose journal is broken, or gone, ran all the same.
cp -r "$tmp/run" "$tmp/naive"
sed -i '1s/rope/rop3/' "$tmp/naive/naive.jsonl"
"$BIN"/kernelforge report "$tmp/naive" >"$tmp/told" 2>/dev/null || true
grep -q 'broken' "$tmp/told" && ! grep -q 'not run' "$tmp/told" "$tmp/naive/report.html" "$tmp/naive/scorecard.md" || fail "a broken baseline is said to be broken"
"$BIN"/kf-view "$tmp/naive" >"$tmp/told" && fail "the view of a broken run does not end well"
grep -q 'broken' "$tmp/told" && ! grep -q 'not run' "$tmp/told" || fail "the view says the same"
rm "$tmp/naive/naive.jsonl"
"$BIN"/kernelforge report "$tmp/naive" >"$tmp/told" 2>/dev/null || true
grep -q 'gone' "$tmp/told" && ! grep -q 'not run' "$tmp/told" || fail "one that is gone is said to be gone"

# A name of 200 characters and no space in it.
cp -r "$tmp/run" "$tmp/long"
jq --arg name "$(printf '%0200d' 0)" '.scenario = $name' "$tmp/run/run.json" >"$tmp/long/run.json"
"$BIN"/kernelforge report "$tmp/long" >/dev/null 2>&1 || true
node tests/clients/report.mjs "$tmp/long/report.html" broken || fail "a long name is wrapped"

# A lane with nothing in it says why.
cp -r "$tmp/run" "$tmp/lane"
: >"$tmp/lane/gateway.jsonl"
rm "$tmp/lane/chaos.jsonl"
"$BIN"/kernelforge report "$tmp/lane" >/dev/null 2>&1 || true
for name in gateway chaos; do
	grep -q "The lane $name is empty: <code>$name.jsonl</code> is missing" "$tmp/lane/report.html" || fail "a gap of $name is worded"
done
lacks "and no other" -q 'The lane agent' "$tmp/lane/report.html"

# A model's own doubts, as text; figures of a record that somebody edited.
cp -r "$tmp/run" "$tmp/doubts"
record=$tmp/doubts/kernels/rope/1.json
jq '.assumptions = ["positions fit in <b>32</b> bits", 7, "rows are dense"]
    | (.judged.cases[] | select(.passed == false) | .errors) |= {exact: -5, to_1: "x", more: 1e300, not_finite: 1e308}' \
    "$record" >"$tmp/edited.json" && mv "$tmp/edited.json" "$record"
"$BIN"/kernelforge report "$tmp/doubts" >/dev/null 2>&1 || true
grep -q 'the model assumed: .*&lt;b&gt;32&lt;/b&gt; bits.*rows are dense' "$tmp/doubts/report.html" ||
    fail "assumptions are shown, as text"
node tests/clients/report.mjs "$tmp/doubts/report.html" broken || fail "a page of an edited record"

# Hostile text in everything that a model or a provider writes: shown, and
# nothing else.  A lone surrogate and a NUL are no text, and cost their file.
cp -r "$tmp/run" "$tmp/hostile"
bad=$(printf '</pre></td><script>alert(1)</script><img src=x onerror=alert(1)> \033[2J \342\200\256rtl')
printf '%s\n%s\n' "// $bad" "$bad" >>"$tmp/hostile/kernels/rope/1.cl"
for record in "$tmp"/hostile/kernels/*/*.json; do
	jq --arg bad "$bad" '(.assumptions, .answer, .route, .judged.message, .judged.suspect) = $bad
	    | (.judged.cases[] | .name, .dtype) |= $bad + . | (.judged.stages[] | .note) = $bad
	    | .judged.coverage.untaken = [{line: 1e30, what: $bad, storage: $bad}]' "$record" >"$tmp/edited.json"
	mv "$tmp/edited.json" "$record"
done
for log in trace gateway; do
	sed -i 's/"deepseek-v4-flash"/"<script>alert(1)<\/script>\\u001b[2J\\u202e"/g; s/"name":"retry"/"name":"<b>"/' "$tmp/hostile/$log.jsonl"
done
sed -i '1s/"ms":[0-9.]*/"ms":1e308/; 6s/"start":"2/"start":"9/' "$tmp/hostile/trace.jsonl"
"$BIN"/kernelforge report "$tmp/hostile" >"$tmp/told" 2>&1 || true
lacks "a span of a year hides no other" -q 'inf s\|[0-9]\{9\}\.[0-9] s' "$tmp/hostile/report.html"
node tests/clients/report.mjs "$tmp/hostile/report.html" broken || fail "a hostile run's page"
lacks "no markup is let through" -qE '<script|<img' "$tmp/hostile/report.html"
! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$tmp/hostile/report.html" "$tmp/told" || fail "no control byte"
lacks "no bidi mark" -q "$(printf '\342\200\256')" "$tmp/hostile/report.html" "$tmp/told"

# An older version knew fewer keys and files: what is there is shown.
cp -r "$tmp/run" "$tmp/older"
for record in "$tmp"/older/kernels/*/*.json; do
	jq 'del(.corrupted, .assumptions, .audit) | .judged |= del(.array, .coverage, .needs, .batch_invariant, .skipped, .suspect)
	    | .judged.cases[] |= del(.worst, .errors, .index, .bound_ratio) | .judged.stages[] |= del(.note, .ms)' "$record" >"$tmp/edited.json"
	mv "$tmp/edited.json" "$record"
done
jq 'del(.anchors, .seal, .plan, .counts, .versions, .expectations, .device, .chaos_run_hash)' "$tmp/run/run.json" >"$tmp/older/run.json"
rm "$tmp/older/trace.jsonl" "$tmp/older/gateway.jsonl" "$tmp/older/scorecard.json" "$tmp/older/report.html"
rc=0; "$BIN"/kernelforge report "$tmp/older" >"$tmp/told" 2>&1 || rc=$?
[ $rc -le 1 ] || fail "an older run is reported: exit $rc"
node tests/clients/report.mjs "$tmp/older/report.html" broken || fail "an older run's page"
grep -q 'verified_correct' "$tmp/older/report.html" || fail "with what is there"
# The view's judge is ledger check's: what kept no anchors is not shown as whole.
rc=0; "$BIN"/kf-view "$tmp/older" >"$tmp/told" 2>/dev/null || rc=$?
[ $rc = 1 ] && head -n 1 "$tmp/told" | grep -q 'EVIDENCE BROKEN' || fail "a run without its trace is shown: exit $rc"
grep -q 'silently wrong' "$tmp/told" && ! grep -q 'claims:' "$tmp/told" || fail "its end, and no story"
cp "$tmp/run/trace.jsonl" "$tmp/older/"
rc=0; "$BIN"/kf-view "$tmp/older" >"$tmp/told" 2>/dev/null || rc=$?
[ $rc = 1 ] || fail "an older run is shown: exit $rc"
grep -q 'claims: rope is correct' "$tmp/told" && grep -q 'says verified_correct' "$tmp/told" || fail "with its story"
