# What a request came to is told whole: by the log and the store alike, also when
# several were paid; by a stream that fails, as by one that ends; and by a gateway
# that is stopped in its midst.  An empty answer goes the way of validators.  What
# would be read otherwise behind the gateway goes to nobody.  A better answer is asked
# for by what it may cost at most, and where none comes the first one is given.
. tests/lib.sh
need curl
need jq
need node
gw="$BIN"/kf-gateway
: >"$tmp/asked"
start up node tests/clients/empty-and-endless.mjs "$tmp/asked"
cat >"$tmp/g.yaml" <<END
providers:
  - {name: a, base_url: "http://$(address up upstream)/a/v1"}
  - {name: gone, base_url: "http://127.0.0.1:1/v1"}
  - {name: b, base_url: "http://$(address up upstream)/b/v1", continues: prefill, passthrough: [/plain]}
prices: [{target: a/m, input: 1000, output: 1000}, {target: b/m, input: 1000, output: 1000}]
breaker: off
store: {path: "$tmp/s.db"}
limits: {drain_ms: 200}
rules:
  - {id: judged, type: priority-based-routing, when: {models: [judged]}, load_balance_targets: [{target: a/m, retry_config: {attempts: 0}}], validators: [{type: content}], escalation: {target: b/m}}
  - {id: poor, type: priority-based-routing, when: {models: [poor]}, load_balance_targets: [{target: a/m, retry_config: {attempts: 0}}], validators: [{type: content}], escalation: {target: b/m, max_usd_per_request: 0}}
  - {id: better, type: priority-based-routing, when: {models: [better]}, load_balance_targets: [{target: a/m}], validators: [{type: regex, pattern: goes}], escalation: {target: b/m, max_usd_per_request: 0.6}}
  - {id: never, type: priority-based-routing, when: {models: [never]}, load_balance_targets: [{target: a/m}], validators: [{type: regex, pattern: goes}], escalation: {target: b/free, max_usd_per_request: 0}}
  - {id: nowhere, type: priority-based-routing, when: {models: [nowhere]}, load_balance_targets: [{target: a/m}], validators: [{type: regex, pattern: goes}], escalation: {target: gone/m}}
  - {id: run, type: priority-based-routing, when: {models: [run]}, load_balance_targets: [{target: a/m}], validators: [{type: regex, pattern: goes}], escalation: {target: b/m, max_usd_per_run: 1.2}}
  - {id: alone, type: priority-based-routing, when: {models: [alone]}, load_balance_targets: [{target: a/m, retry_config: {attempts: 1, delay: 1}}]}
  - {id: both, type: priority-based-routing, when: {models: [both]}, load_balance_targets: [{target: a/m, priority: 0, retry_config: {attempts: 0}}, {target: b/m, priority: 1}]}
END
start g "$gw" --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
url=http://$(address g gateway)/v1
ask() { # MODEL HOW STREAM ARGS...
	body="{\"model\":\"$1\",\"stream\":$3,\"messages\":[{\"role\":\"user\",\"content\":\"$2\"}]}"
	shift 3
	curl -sS -N -m 60 -o "$tmp/said" -D "$tmp/head" -w '%{http_code}' -d "$body" "$@" "$url/chat/completions" 2>/dev/null || true
}
logged() { await_in "$tmp/log.jsonl" jq -se ".[-1] | $1" "$tmp/log.jsonl"; }

# An empty answer is what `content` is there for.
for stream in false true; do
	ask judged empty $stream >"$tmp/status"
	check "escalated, $stream" grep -q 'goes on' "$tmp/said"
	logged '.reason == "quality-escalation" and .validator == "content" and .tokens_in == 20 and .tokens_out == 10'
	ask poor empty $stream >"$tmp/status"
	check "but for nothing nobody escalates: $(cat "$tmp/status")" [ "$(cat "$tmp/status")" = 502 ]
	logged '.outcome == "empty" and .validator == "budget"'
done

# By what it may cost, whether the first answer was counted or not; and that of all
# that are under way together.
for stream in false true; do
	for how in uncounted word; do
		ask better $how $stream >"$tmp/status"
		check "a thousand tokens are too dear, $how, $stream" grep -q word "$tmp/said"
		logged '(.attempts | length) == 1 and .validator == "budget" and .outcome == "ok"'
		ask never $how $stream >"$tmp/status"
		check "never, $how, $stream" grep -q word "$tmp/said"
		logged '(.attempts | length) == 1 and .validator == "budget"'
		ask nowhere $how $stream >"$tmp/status"
		check "the first one where there is no better, $how, $stream: $(cat "$tmp/status")" [ "$(cat "$tmp/status")" = 200 ]
		check "which is whole" grep -q word "$tmp/said"
		check "and says so: $(cat "$tmp/head")" grep -q '^x-tfy-routing: from=nowhere to=a/m reason=fallback' "$tmp/head"
		check "with all attempts" grep -q 'a/m;cause=quality.*gone/m;cause=refused' "$tmp/head"
		logged '.validator == "regex" and .outcome == "ok" and .target == "a/m" and .reason == "fallback"'
	done
done
limited() { exec curl -sS -N -m 60 -o "$tmp/up$1" -d "{\"model\":\"$2\",\"max_tokens\":500,\"messages\":[{\"role\":\"user\",\"content\":\"$3\"}]}" "$url/chat/completions"; }
(limited 0 better uncounted)
check "five hundred are not" grep -q 'goes on' "$tmp/up0"
jq -s 'length' "$tmp/log.jsonl" >"$tmp/before"
asking=
for i in 1 2 3 4 5 6 7 8 9 10; do
	limited $i run up &
	asking="$asking $!"
done
two_wait() { [ "$(jq -s length "$tmp/log.jsonl")" = $(($(cat "$tmp/before") + 8)) ]; }
await_in "$tmp/log.jsonl" two_wait
check "eight were told what there was" [ "$(cat "$tmp"/up[1-9]* | grep -o word | wc -l)" = 8 ]
kill $asking 2>/dev/null || true
wait $asking 2>/dev/null || true
await_in "$tmp/log.jsonl" jq -se '[.[] | select(.rule == "run")] | length == 10 and ([.[] | select(.validator == "budget")] | length == 8)' "$tmp/log.jsonl"

# What several attempts cost, and their tokens.
for stream in false true; do
	check "twice, $stream" [ "$(ask alone twice $stream)" = 200 ]
	logged '(.attempts | length) == 2 and .tokens_in >= 20 and .tokens_out > 5'
done
ask both cut true >"$tmp/status"
check "gone on with" grep -q 'goes on' "$tmp/said"
check "its question costs something" sh -c "sed -n 's/^data: {/{/p' '$tmp/said' | jq -se 'all(.usage == null or .usage.prompt_tokens > 0)' >/dev/null"
logged '(.attempts | length) == 2 and .estimated'
ask alone cut true >"$tmp/status"
check "a stream that fails says what was paid" grep -q '^: x-kf-attempts a/m;cause=reset;status=200;ms=[0-9]*;in=[1-9][0-9]*;out=1;cost=0.0' "$tmp/said"
check "in front of its error" sh -c "sed -n '/^: x-kf-attempts/,\$p' '$tmp/said' | grep -q '^data: .*error'"
logged '.outcome == "reset" and .tokens_out == 1'
check "each token is a thousandth" jq -se 'all(((.tokens_in + .tokens_out) / 1000 - .cost_usd) | fabs < 0.0000001)' "$tmp/log.jsonl" >"$tmp/out"
jq -s 'map({(.request): [.tokens_in, .tokens_out]}) | add' "$tmp/log.jsonl" >"$tmp/a"
"$gw" requests --json --store "$tmp/s.db" | jq 'map({(.request): [.tokens_in, .tokens_out]}) | add' >"$tmp/b"
check "the store says the same" jq -se '.[0] == .[1] and (.[0] | length) > 7' "$tmp/a" "$tmp/b" >"$tmp/out"

# Nobody is asked what is read here otherwise than there.
had=$(wc -l <"$tmp/asked")
check "packed, it says" [ "$(ask alone word false -H 'Content-Encoding: gzip')" = 415 ]
check "vectors do not stream" [ "$(curl -sS -m 30 -o "$tmp/said" -w '%{http_code}' -d '{"model":"alone","stream":true,"input":"a"}' "$url/embeddings")" = 400 ]
check "and says so" grep -q 'vectors come whole' "$tmp/said"
for no in true '"true"' 1; do
	check "in the background, $no" [ "$(curl -sS -m 30 -o "$tmp/said" -w '%{http_code}' -d "{\"model\":\"alone\",\"input\":\"a\",\"background\":$no}" "$url/responses")" = 400 ]
	check "and says why" grep -q 'cannot see how work in the background ends' "$tmp/said"
done
for no in 0 0.0 -1 1e3 1. .5 x 1x '1 2' 1.2.3; do check "a time of $no" [ "$(ask alone word false -H "x-tfy-request-timeout: $no")" = 400 ]; done
check "nobody was asked" [ "$(wc -l <"$tmp/asked")" = "$had" ]
for yes in 99999999999 1000000000000.5 86400001 99999999999999999999999999 0000000000000000060000 0.000000000000001; do
	ask alone word false -H "x-tfy-ttft-timeout-ms: $yes" >"$tmp/status"
	lacks "a time of $yes" invalid_timeout "$tmp/said"
done
check "plain, it says" [ "$(ask alone word false -H 'Content-Encoding: identity')" = 200 ]
lacks "what was asked named no coding" content-encoding "$tmp/asked"
check "what passes unread keeps its own" [ "$(curl -sS -m 30 -o "$tmp/said" -w '%{http_code}' -H 'Content-Encoding: x-mine' -d '{"messages":[{"content":"word"}]}' "$url/plain")" = 200 ]
check "it did" grep -q '"content-encoding":"x-mine"' "$tmp/asked"

# The end of the gateway, for who has a part of an answer, and who has none.
ask alone hang true >"$tmp/status" & one=$!
wait_for_word() { grep -q It "$tmp/said"; }
await wait_for_word
curl -sS -m 60 -D "$tmp/head2" -o "$tmp/said2" -d '{"model":"alone","messages":[{"role":"user","content":"silent"}]}' "$url/chat/completions" & two=$!
in_flight() { curl -s "http://$(address g admin)/metrics" | grep -q '^kf_gateway_in_flight 2$'; }
await in_flight
stop g
check "it ends well" [ "$stopped" = 0 ]
wait $one || true
wait $two || true
check "what was paid" grep -q '^: x-kf-attempts a/m;cause=deadline' "$tmp/said"
check "and why it ends" grep -q '^data: .*error.*is being stopped' "$tmp/said"
lacks "which is no good end" DONE "$tmp/said"
check "nothing yet: $(head -1 "$tmp/head2")" grep -q '^HTTP/1.1 503' "$tmp/head2"
check "why" jq -e '.error.code == "stopping"' "$tmp/said2" >"$tmp/out"
