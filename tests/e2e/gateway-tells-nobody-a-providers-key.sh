# A provider that quotes its key, in an error, a redirection or a header, plain,
# gzipped, in pieces, escaped or cut, percent-encoded, in HTML, in base64 or hex,
# under 200 too, does not tell it to a client; and one that counts nonsense is not
# free.
. tests/lib.sh
need curl
need jq
need python3
gw="$BIN"/kf-gateway
KF_TEST_UP='sk-secret/secret+secret123456'
KF_TEST_UP_KEY=$KF_TEST_UP
export KF_TEST_UP KF_TEST_UP_KEY
start up python3 tests/clients/quoter.py "$KF_TEST_UP"
cat >"$tmp/g.yaml" <<END
providers: [{name: p, base_url: "http://$(address up upstream)/v1", api_key_env: KF_TEST_UP, passthrough: ["/files*"]}]
breaker: off
log_bodies: {max_bytes: 65536}
store: {path: "$tmp/s.db"}
prices: [{target: p/minus, input: 1000, output: 2000}, {target: p/text, input: 1000, output: 2000}, {target: p/huge, input: 1000, output: 2000}, {target: p/empty, input: 1000, output: 2000}, {target: p/good, input: 1000, output: 2000}]
END
start g "$gw" --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/g.jsonl"
g=http://$(address g gateway)
told() { # WHAT
	check "$1: stars" grep -q '\*\*\*\*\*\*' "$tmp/answer"
	check "$1: what stands around it" grep -q '"bad key \**, really"' "$tmp/answer"
	for part in secret u0073 "$KF_TEST_UP"; do check "$1: $part" sh -c "! grep -qF '$part' '$tmp/answer' '$tmp/head'"; done
}
for how in plain gzip split long moved escaped slash first last fine-plain fine-split fine-long fine-gzip; do
	status=$(curl -s -m 20 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -d '{}' "$g/v1/files?how=$how")
	case $how in moved) want=302 ;; fine*) want=200 ;; *) want=400 ;; esac
	check "$how: $status" [ "$status" = $want ]
	told "$how"
done
for method in TRACE CONNECT Trace TRACK; do
	status=$(curl -s -m 20 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -X $method "$g/v1/files/x")
	check "$method: $status" [ "$status" = 405 ]
	check "$method: what is allowed" grep -qi '^allow: GET, HEAD, POST' "$tmp/head"
	check "$method: no key" sh -c "! grep -qF secret '$tmp/answer' '$tmp/head'"
done
for model in plain escaped slash first last; do
	check "$model" [ "$(curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -d "{\"model\":\"$model\",\"messages\":[]}" "$g/v1/chat/completions")" = 400 ]
	told "$model, a chat"
	check "$model: the header is there" grep -qi '^x-ratelimit-k: \*' "$tmp/head"
done
# A client that has it, and puts it where names belong.
curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -H "x-tfy-metadata: op=$KF_TEST_UP" -d "{\"model\":\"p/$KF_TEST_UP\",\"messages\":[]}" "$g/v1/chat/completions"
named() { tail -1 "$tmp/g.jsonl" | jq -e '(.op | test("^[*]+$")) and (.from | test("^p/[*]+$"))'; }
await_in "$tmp/g.jsonl" named
lacks "no line of the log" -F "$KF_TEST_UP" "$tmp/g.jsonl"
lacks "no header" -F "$KF_TEST_UP" "$tmp/head"
curl -s -m 10 "http://$(address g admin)/metrics" >"$tmp/out"
lacks "no metric" -F "$KF_TEST_UP" "$tmp/out"
"$gw" requests --json --store "$tmp/s.db" >"$tmp/out"
lacks "no row of the store" -F "$KF_TEST_UP" "$tmp/out"
# Whatever form it stands in: what is left of it are an end that base64 shares with
# what follows, and what stood around it.
cat >"$tmp/q.yaml" <<END
providers:
  - {name: q, base_url: "http://$(address up upstream)/v1", api_key_env: KF_TEST_UP, auth: {query: key}, passthrough: ["/files*"]}
  - {name: t, base_url: "http://$(address up upstream)/v1", api_key_env: KF_TEST_UP, apis: [messages]}
  - {name: h, base_url: "http://$(address up upstream)/v1", headers: {x-mine: "Bearer \${KF_TEST_UP_KEY}"}, passthrough: ["/headed*"]}
  - {name: s, base_url: "http://$(address up upstream)/v1"}
rules:
  - {id: set, type: priority-based-routing, when: {models: [set]}, load_balance_targets: [{target: s/first, headers_override: {set: {x-api-token: "$KF_TEST_UP"}}}]}
breaker: off
log_bodies: {max_bytes: 65536}
store: {path: "$tmp/q.db"}
END
start q "$gw" --config "$tmp/q.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/q.jsonl"
q=http://$(address q gateway)
check "every way" python3 tests/clients/quoted.py "$q" plain escaped again script slash first last middle url url-low url-all url-twice url-half url-escaped html html-twice html-go hex hex-up base64 base64-url basic bearer
curl -s -m 20 -o "$tmp/answer" -D "$tmp/head" -d '{"model":"q/path","messages":[]}' "$q/v1/chat/completions"
check "the query that it was asked with" grep -q 'bad key /v1/chat/completions?key=\**?\**, really' "$tmp/answer"
curl -s -m 20 -o "$tmp/answer" -D "$tmp/head" -d '{"model":"set","messages":[]}' "$q/v1/chat/completions"
told "of a rule's header"
"$gw" requests --rows 1000 --json --store "$tmp/q.db" >"$tmp/kept"
all() { [ "$(grep -c '"from"' "$tmp/q.jsonl")" = 94 ]; }
await all
for file in q.jsonl q.err kept; do
	lacks "$file" -i 'secret\|%2Fs\|%252F\|736563726574\|c2VjcmV0\|NlY3JldH\|zZWNyZX' "$tmp/$file"
done
stop q
check "nor the log" sh -c "! grep -q secret '$tmp/g.jsonl' '$tmp/g.err'"

# Of a key that two events have, bodies that are kept show no half.
for n in 5 9 12 13 14 15 16 20 28; do
	curl -s -m 20 -o /dev/null -d "{\"model\":\"parted-$n\",\"messages\":[],\"stream\":true}" "$g/v1/chat/completions"
	kept() { jq -se "any(.from == \"parted-$n\" and .outcome == \"ok\")" "$tmp/g.jsonl"; }
	await kept
	head=$(printf %s "$KF_TEST_UP" | cut -c1-$n) tail=$(printf %s "$KF_TEST_UP" | cut -c$((n + 1))-)
	for part in "$head" "$tail"; do
		[ ${#part} -lt 14 ] || lacks "$n letters and the rest: $part" -F "$part" "$tmp/g.jsonl"
	done
done
check "what was kept has stars" grep -q '"answered":".*\*\*\*\*\*\*' "$tmp/g.jsonl"

# Usage that cannot be read is none: it is estimated, and budgets fill.
for model in minus text huge empty good; do
	check "$model is answered" [ "$(curl -s -m 10 -o /dev/null -w '%{http_code}' -d "{\"model\":\"$model\",\"messages\":[]}" "$g/v1/chat/completions")" = 200 ]
done
logged() { [ "$(grep -c '"from":"good"' "$tmp/g.jsonl")" = 1 ]; }
await logged
for model in minus text huge empty; do
	check "$model: an estimate that costs" [ "$(jq -c "select(.from==\"$model\")|[.estimated,.tokens_in>0,.tokens_out>0,.cost_usd>0]" "$tmp/g.jsonl")" = '[true,true,true,true]' ]
done
check "good: as it says" [ "$(jq -c 'select(.from=="good")|[.estimated,.tokens_in,.tokens_out]' "$tmp/g.jsonl")" = '[false,3,4]' ]
# What answers a stream with a whole answer has counted it nevertheless.
check "no stream" [ "$(curl -s -m 20 -o /dev/null -w '%{http_code}' -d '{"model":"good","messages":[],"stream":true}' -H 'x-tfy-retry-config: {"attempts":0}' "$g/v1/chat/completions")" = 502 ]
refused() { [ "$(jq -c 'select(.outcome=="not-stream")|[.estimated,.tokens_in,.tokens_out]' "$tmp/g.jsonl")" = '[false,3,4]' ]; }
await refused
key=$("$gw" keys create poor --budget 0.1 --per day --store "$tmp/s.db" 2>/dev/null)
ask() { curl -s -m 10 -o /dev/null -w '%{http_code}' -H "api-key: $key" -d '{"model":"minus","messages":[],"max_tokens":10}' "$g/v1/chat/completions"; }
opens() { [ "$(ask)" = 200 ]; }
await opens
n=0
while [ $n -lt 30 ] && [ "$(ask)" = 200 ]; do n=$((n + 1)); done
check "the budget is empty after $n" [ $n -lt 10 ]
