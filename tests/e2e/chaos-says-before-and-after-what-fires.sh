# plan says what would fire for given requests and the proxy then does just
# that; explain gives the reason for each yes and no; cover says which faults
# a log reached and is red when one was not.
. tests/lib.sh
need curl
cat >"$tmp/s.json" <<'JSON'
{"chaos":1,"name":"planned","seed":"1",
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"standin"}},
 "phases":[{"name":"warm","until":{"requests":1}},{"name":"rest"}],
 "rules":[
  {"id":"storm","phase":"rest","match":{"model":"deep*"},"when":{"p":0.5},"fault":{"type":"http_error","status":503}},
  {"id":"again","when":{"after":{"rule":"storm"}},"fault":{"type":"http_error","status":500}},
  {"id":"cut","match":{"stream":true},"when":{"always":true},"fault":{"type":"sse_cut","after_events":1}},
  {"id":"never","match":{"model":"other"},"when":{"always":true},"fault":{"type":"http_error","status":400}}]}
JSON
i=0
while [ $i -lt 12 ]; do
	printf '{"headers":{"x-session-id":"s%d"},"body":{"model":"%s","stream":%s}}\n' \
	    $((i % 5)) "$([ $((i % 4)) = 3 ] && echo gpt || echo deepseek)" "$([ $((i % 2)) = 0 ] && echo true || echo false)"
	i=$((i + 1))
done >"$tmp/requests"
check "plan plans" "$BIN"/kf-chaos plan "$tmp/s.json" "$tmp/requests" >"$tmp/plan"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
models=$(address chaos models)
while read -r line; do
	session=$(echo "$line" | sed 's/.*id":"\([^"]*\)".*/\1/')
	body=$(echo "$line" | sed 's/.*"body":\(.*\)}$/\1/')
	curl -s -o "$tmp/answer" -H "x-session-id: $session" -d "$body" "http://$models/v1/chat/completions" || true
done <"$tmp/requests"
stop chaos
# What fired, in the form of the plan.
python3 - "$tmp/log" <<'PY' | sort >"$tmp/fired"
import json, sys
for line in map(json.loads, open(sys.argv[1])):
    if line['result'] == 'fired':
        print(line['key'], line['attempt'], line['rule'] + ':' + line['fault'])
PY
sed -n 's/.*key=\([^ ]*\) attempt=\([0-9]*\)  \([a-z]*:[a-z_]*\)(.*/\1 \2 \3/p' "$tmp/plan" | sort >"$tmp/planned"
check "something was planned" test "$(wc -l <"$tmp/planned")" -ge 5
check "a rule that follows another was" grep -q again:http_error "$tmp/planned"
check "what was planned has fired" diff "$tmp/planned" "$tmp/fired"

"$BIN"/kf-chaos explain "$tmp/s.json" storm --request "$tmp/requests" --log "$tmp/log" >"$tmp/why"
check "explain and plan agree" test "$(grep -c 'so it fires' "$tmp/why")" = "$(grep -c storm:http_error "$tmp/plan")"
check "and so does the log" test "$(grep -c 'the log says .*fired' "$tmp/why")" = "$(grep -c storm:http_error "$tmp/plan")"
check "the phase is a reason" grep -q 'phase  *no   rest; request 1 of the proxy is in warm' "$tmp/why"
check "the model is one" grep -q 'match model  *no   "deep\*"' "$tmp/why"
check "the draw is one" grep -q 'when  *no   {"p":0.5}; the draw is [0-9a-f]*, 0\.[0-9]* of 1' "$tmp/why"
"$BIN"/kf-chaos explain "$tmp/s.json" cut --request "$tmp/requests" >"$tmp/why"
check "another rule is one" grep -q 'no other rule won  *no   storm' "$tmp/why"
check "explain and plan agree again" test "$(grep -c 'so it fires' "$tmp/why")" = "$(grep -c cut:sse_cut "$tmp/plan")"
exits 0 "$BIN"/kf-chaos explain "$tmp/s.json" storm --key s1 --attempt 2
check "a key alone" grep -q 'so it ' "$tmp/out"

exits 2 "$BIN"/kf-chaos explain "$tmp/s.json" again --key s1 --attempt 2
check "what came before is not in a key" grep -q 'fires after another one' "$tmp/err"
# Four equal requests at once and one after the other: what is after a rule is the same, and as planned.
printf '%s' '{"chaos":1,"name":"after","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"second","when":{"nth":2},"fault":{"type":"http_error","status":503}},
  {"id":"late","match":{"attempt":1},"when":{"always":true},"fault":{"type":"latency","latency":300},"also":true},
  {"id":"then","when":{"after":{"rule":"second"}},"fault":{"type":"llm_empty"}}]}' >"$tmp/after.json"
for i in 1 2 3 4; do printf '{"body":{"model":"m","messages":[]}}\n'; done >"$tmp/four"
"$BIN"/kf-chaos plan "$tmp/after.json" "$tmp/four" | sed -n 's/.*attempt=\([0-9]*\)  //p' >"$tmp/planned"
check "the plan: $(cat "$tmp/planned")" test "$(grep -c then:llm_empty "$tmp/planned")" = 2
for together in '' -Z; do
	start chaos "$BIN"/kf-chaos --scenario "$tmp/after.json" --admin 127.0.0.1:0 --log "$tmp/after$together"
	url=http://$(address chaos models)/v1/chat/completions
	curl -s $together -d '{"model":"m","messages":[]}' "$url" "$url" "$url" "$url" >"$tmp/answers" 2>&1 || :
	stop chaos
	grep -o '"attempt":[0-9]*\|"rule":"[a-z]*"' "$tmp/after$together" | paste - - | sort >"$tmp/fired$together"
	grep '^run_hash' "$tmp/chaos.out" >"$tmp/hash$together"
done
check "the third and the fourth are after it: $(cat "$tmp/fired")" test "$(grep then "$tmp/fired" | tr -dc '0-9')" = 34
check "at once as one after the other" diff "$tmp/fired" "$tmp/fired-Z"
check "with one hash" diff "$tmp/hash" "$tmp/hash-Z"

# Why a fault was bypassed is told of one that fired, too.
printf '%s' '{"chaos":1,"name":"why","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"both","when":{"always":true},"fault":{"type":"sse_cut","after_events":1}}]}' >"$tmp/both.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/both.json" --admin 127.0.0.1:0 --log "$tmp/both"
for stream in true false; do
	curl -s -o "$tmp/answer" -d "{\"stream\":$stream,\"messages\":[]}" "http://$(address chaos models)/v1/chat/completions" || true
done
stop chaos
exits 0 "$BIN"/kf-chaos cover "$tmp/both.json" "$tmp/both"
check "the reason: $(cat "$tmp/out")" grep -Eq '^both +sse_cut +1 +1  [a-z]' "$tmp/out"

exits 1 "$BIN"/kf-chaos cover "$tmp/s.json" "$tmp/log"
check "what was reached is counted" grep -q '^storm  *http_error  *[1-9]' "$tmp/out"
check "what was not is named" grep -q '^never  *http_error  *0  *0  never chosen$' "$tmp/out"
check "3 of 4" grep -q '^3 of 4 faults reached$' "$tmp/out"
sed '/"id":"never"/d; s/"after_events":1}},$/"after_events":1}}]}/' "$tmp/s.json" >"$tmp/fewer.json"
exits 0 "$BIN"/kf-chaos cover "$tmp/fewer.json" "$tmp/log"
sed 's/"storm"/"other"/' "$tmp/fewer.json" >"$tmp/other.json"
exits 2 "$BIN"/kf-chaos cover "$tmp/other.json" "$tmp/log"
exits 2 "$BIN"/kf-chaos explain "$tmp/s.json" storm
exits 2 "$BIN"/kf-chaos explain "$tmp/s.json" unknown --key s1
printf '{"proxy":"other"}\n' >"$tmp/requests"
exits 2 "$BIN"/kf-chaos plan "$tmp/s.json" "$tmp/requests"
check "the line is named" grep -q 'requests: line 1: /proxy: expected the name of a proxy' "$tmp/err"
