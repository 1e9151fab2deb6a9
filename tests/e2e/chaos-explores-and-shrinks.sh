# explore finds every call of a program and what breaks it; shrink finds the
# two faults of many that it takes, and says so when there is nothing to find.
. tests/lib.sh
need python3
# A client of three calls that retries 503 once, fails when the second and the
# third call both need it, and believes whatever it reads.
cat >"$tmp/client.py" <<'PY'
import json, os, sys, urllib.error, urllib.request
def ask(n, stream):
    body = json.dumps({'model': 'm', 'stream': stream, 'messages': [{'role': 'user', 'content': 'n%d' % n}]}).encode()
    for tries in (1, 2):
        try:
            with urllib.request.urlopen(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body) as r:
                r.read()
                return tries - 1
        except urllib.error.HTTPError as e:
            if e.code != 503: raise
    sys.exit('error: 503 again')
if ask(1, True) + 2 * ask(2, False) + 4 * ask(3, False) >= 6:
    sys.exit('error: too much to bear')
PY
exits 1 "$BIN"/kf-chaos explore -- python3 "$tmp/client.py"
check "three calls" test "$(grep -c 'POST /v1/chat/completions' "$tmp/out")" = 3
check "the first is a stream with its phases" grep -q '^  1 .* 15 events .*phases: request head stream content end$' "$tmp/out"
check "one 503 is survived" grep -q '^2  *request  503, once  *survives: 4 requests' "$tmp/out"
check "a reset breaks it" grep -q '^1  *head  *reset before the first event  *BREAKS: 1 request, exit 1' "$tmp/out"
check "an early end misleads it" grep -q '^1  *end  *ends before it is finished  *MISLED: .*accepted a truncated answer' "$tmp/out"
check "each point once" grep -q '^16 points: ' "$tmp/out"
check "a lost connection breaks it" grep -q '^3  *request  *closed without an answer  *BREAKS' "$tmp/out"
check "an empty answer misleads it" grep -q '^2  *content  *nothing is said  *MISLED: .*accepted an empty answer' "$tmp/out"
exits 3 "$BIN"/kf-chaos explore -- sh -c 'exit 1'
exits 2 "$BIN"/kf-chaos explore

rules= n=1
while [ $n -le 3 ]; do
	rules="$rules${rules:+,}{\"id\":\"r$n\",\"match\":{\"body\":\"*n$n*\",\"attempt\":1},\"when\":{\"always\":true},\"fault\":{\"type\":\"http_error\",\"status\":503}}"
	n=$((n + 1))
done
cat >"$tmp/s.json" <<JSON
{"chaos":1,"name":"shrink","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"slow","also":true,"match":{},"when":{"always":true},"fault":{"type":"latency","latency":1}},$rules]}
JSON
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
OPENAI_BASE_URL=http://$(address chaos models)/v1
export OPENAI_BASE_URL
exits 1 python3 "$tmp/client.py"
stop chaos
exits 0 "$BIN"/kf-chaos shrink "$tmp/log" --scenario "$tmp/s.json" -- python3 "$tmp/client.py"
check "two are enough" grep -q '^2 of [0-9]* faults are enough' "$tmp/out"
check "the second call's" grep -q '^  rule r2: http_error on models, key [0-9a-f]*, attempt 1$' "$tmp/out"
check "and the third's" grep -q '^  rule r3: http_error' "$tmp/out"
check "and no other" test "$(grep -c '^  rule ' "$tmp/out")" = 2
exits 1 "$BIN"/kf-chaos shrink "$tmp/log" --scenario "$tmp/s.json" -- true
check "nothing to shrink" grep -q 'COMMAND does not fail with all' "$tmp/err"
exits 1 "$BIN"/kf-chaos shrink "$tmp/log" --scenario "$tmp/s.json" -- false
check "not the faults' doing" grep -q 'COMMAND fails without any fault' "$tmp/err"
sed 's/"id":"r2"/"id":"other"/' "$tmp/s.json" >"$tmp/other.json"
exits 2 "$BIN"/kf-chaos shrink "$tmp/log" --scenario "$tmp/other.json" -- python3 "$tmp/client.py"
check "another scenario is told" grep -q '1 faults that this scenario and seed do not decide' "$tmp/err"
exits 2 "$BIN"/kf-chaos shrink "$tmp/log" -- true
exits 2 "$BIN"/kf-chaos shrink "$tmp/none" --scenario "$tmp/s.json" -- true

# A run that was recorded shrinks without its upstream: that is stopped before.
cat >"$tmp/live.json" <<JSON
{"chaos":1,"name":"shrink","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","upstream":"back"}},"rules":[$rules]}
JSON
unset OPENAI_BASE_URL
printf '{"chaos":1,"name":"back","seed":"1","proxies":{"back":{"listen":"127.0.0.1:0","mode":"standin"}}}' >"$tmp/back.json"
start back "$BIN"/kf-chaos --scenario "$tmp/back.json" --admin 127.0.0.1:0
back=$(address back back)
exits 2 "$BIN"/kf-chaos --scenario "$tmp/live.json" --upstream back="$back" --admin 127.0.0.1:0 --record
start recorded "$BIN"/kf-chaos --scenario "$tmp/live.json" --upstream back="$back" --admin 127.0.0.1:0 --log "$tmp/live.log" --record
OPENAI_BASE_URL=http://$(address recorded models)/v1
export OPENAI_BASE_URL
exits 1 python3 "$tmp/client.py"
stop recorded
stop back
check "three answers are kept" test "$(wc -l <"$tmp/live.log.record/models.jsonl")" = 3
exits 0 "$BIN"/kf-chaos shrink "$tmp/live.log" --scenario "$tmp/live.json" --upstream back="$back" -- python3 "$tmp/client.py"
check "two are enough" grep -q '^2 of [0-9]* faults are enough' "$tmp/out"
check "the second call's and the third's" test "$(grep -c '^  rule r[23]: http_error on models' "$tmp/out")" = 2
check "nobody was missed" test "$(grep -c 'record' "$tmp/out")" = 0
sed '/n3/d;$d' "$tmp/live.log.record/models.jsonl" >"$tmp/cut" && mkdir "$tmp/poor" && mv "$tmp/cut" "$tmp/poor/models.jsonl"
"$BIN"/kf-chaos shrink "$tmp/live.log" --scenario "$tmp/live.json" --upstream back="$back" --record "$tmp/poor" -- python3 "$tmp/client.py" >"$tmp/out" 2>"$tmp/err" || true
check "what is not recorded is no verdict" grep -q 'cannot tell: [0-9]* requests are not in the record' "$tmp/out"
exits 2 "$BIN"/kf-chaos shrink "$tmp/live.log" --scenario "$tmp/live.json" --record "$tmp/nowhere" -- true
mv "$tmp/live.log.record" "$tmp/gone"
"$BIN"/kf-chaos shrink "$tmp/live.log" --scenario "$tmp/live.json" --upstream back="$back" -- python3 "$tmp/client.py" >"$tmp/out" 2>"$tmp/err" || true
check "and without a record that is said" grep -q '^1 of 1 proxies have no record: their upstreams are asked$' "$tmp/out"

# A fault that only makes the client ask again, where the next one breaks it, is
# told apart from the one that matters.
cat >"$tmp/step.json" <<'JSON'
{"chaos":1,"name":"step","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"standin"}},"rules":[
{"id":"busy","match":{"attempt":1},"when":{"always":true},"fault":{"type":"http_error","status":503}},
{"id":"fatal","match":{"attempt":2},"when":{"always":true},"fault":{"type":"http_error","status":400}}]}
JSON
cat >"$tmp/step.sh" <<'EOF'
for try in 1 2 3; do
	status=$(curl -s -o "$0.body" -w '%{http_code}' -d '{"messages":[]}' "$OPENAI_BASE_URL/chat/completions")
	[ "$status" != 200 ] || exit 0
	[ "$status" != 400 ] || exit 1
done
EOF
# Faults whose requests nobody asked again have no answer in the record: whether
# they matter cannot be told from it, and can by asking.
cat >"$tmp/four.sh" <<'EOF'
for n in 1 2 3; do
	curl -s -o "$0.body" -d "{\"messages\":[{\"role\":\"user\",\"content\":\"n$n\"}]}" "$OPENAI_BASE_URL/chat/completions"
	! grep -q not_recorded "$0.body" || exit 1
	[ $n != 2 ] || grep -q '"choices"' "$0.body" || bad=1
done
exit ${bad:-0}
EOF
unset OPENAI_BASE_URL
start back "$BIN"/kf-chaos --scenario "$tmp/back.json" --admin 127.0.0.1:0
back=$(address back back)
start four "$BIN"/kf-chaos --scenario "$tmp/live.json" --upstream back="$back" --admin 127.0.0.1:0 --log "$tmp/four.log" --record
OPENAI_BASE_URL=http://$(address four models)/v1 sh "$tmp/four.sh" && fail "it fails"
stop four
exits 0 "$BIN"/kf-chaos shrink "$tmp/four.log" --scenario "$tmp/live.json" --upstream back="$back" -- sh "$tmp/four.sh"
check "the record alone: $(grep enough "$tmp/out")" grep -q '^3 of 3 faults are enough ([0-9]* runs); for 3 of them it cannot be told whether they matter: .* not in the record (--ask asks the upstream):$' "$tmp/out"
check "each is marked" test 3 = "$(grep -c '^  rule .*(cannot tell whether it matters)$' "$tmp/out")"
exits 0 "$BIN"/kf-chaos shrink "$tmp/four.log" --scenario "$tmp/live.json" --upstream back="$back" --ask -- sh "$tmp/four.sh"
check "by asking: $(grep enough "$tmp/out")" grep -q '^1 of 3 faults are enough ([0-9]* runs):$' "$tmp/out"
check "that of the second call" grep -q '^  rule r2: http_error on models, key [0-9a-f]*, attempt 1$' "$tmp/out"
stop back
start step "$BIN"/kf-chaos --scenario "$tmp/step.json" --admin 127.0.0.1:0 --log "$tmp/step.log"
OPENAI_BASE_URL=http://$(address step models)/v1 sh "$tmp/step.sh" && fail "it fails"
stop step
exits 0 "$BIN"/kf-chaos shrink "$tmp/step.log" --scenario "$tmp/step.json" -- sh "$tmp/step.sh"
check "the 503 is incidental" grep -q '^  rule busy: .*(incidental: without it there is no attempt 2)$' "$tmp/out"
check "the 400 is not" grep -q '^  rule fatal: http_error on models, key [0-9a-f]*, attempt 2$' "$tmp/out"
