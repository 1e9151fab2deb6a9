# replay says which logged requests another configuration would route, refuse
# or price differently; top prints a running gateway's targets.
. tests/lib.sh
need curl
gw="$BIN"/kf-gateway
conf() { # NAME TARGET MODEL PRICE
	cat >"$tmp/$1.yaml" <<END
providers: [{name: p, base_url: "http://127.0.0.1:9"}, {name: q, base_url: "http://127.0.0.1:9"}]
prices: [{target: p/a, input: $4, output: $4}]
rules:
  - {id: r, type: priority-based-routing, when: {models: [$3]}, load_balance_targets: [{target: $2, retry_config: {attempts: 0}}]}
END
}
conf then p/a m 1
conf elsewhere q/b m 1
conf refuses p/a other 1
conf dearer p/a m 2
start gateway "$gw" --config "$tmp/then.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
curl -s -m 10 -o /dev/null -d '{"model":"m"}' "http://$(address gateway gateway)/v1/chat/completions"
"$gw" top --admin "$(address gateway admin)" --count 1 >"$tmp/top"
check "top shows the target" grep -Eq '^p/a +closed +1 +1 ' "$tmp/top"
check "and the requests" grep -q '^requests 1 .* cost 0.000000 USD$' "$tmp/top"
check "plain lines in a pipe" [ "$(tr -d '\n' <"$tmp/top" | tr -cd '[:cntrl:]' | wc -c)" = 0 ]
check "no line for a provider that passed nothing on" [ "$(grep -c '^p ' "$tmp/top")" = 0 ]
if command -v script >/dev/null; then
	TERM=xterm script -qec "$gw top --admin $(address gateway admin) --count 2 --interval-ms 10" "$tmp/screen" </dev/null >"$tmp/out"
	check "a terminal is drawn again each round" [ "$(grep -c "$(printf '\033')\[H$(printf '\033')\[2Jrequests 1 " "$tmp/screen")" = 2 ]
fi
stop gateway
exits 3 "$gw" top --admin 127.0.0.1:1 --count 1
if command -v python3 >/dev/null; then # it takes the connection and says nothing
	python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", 0))
open(sys.argv[1], "w").write("127.0.0.1:%d\n" % s.getsockname()[1])
time.sleep(300)' "$tmp/mute" &
	mute=$!
	await test -s "$tmp/mute"
	exits 3 "$gw" top --admin "$(cat "$tmp/mute")" --count 1
	check "top waits no longer than that" grep -q 'top: no answer within 5 s' "$tmp/err"
	kill $mute
fi
{ echo 'breaker: demo'; cat "$tmp/then.yaml"; } >"$tmp/sick.yaml"
start sick "$gw" --config "$tmp/sick.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
for i in 1 2; do curl -s -m 10 -o /dev/null -d '{"model":"m"}' "http://$(address sick gateway)/v1/chat/completions"; done
"$gw" top --admin "$(address sick admin)" --count 1 >"$tmp/top"
check "top shows an open breaker" grep -Eq '^p/a +open +2 +2 ' "$tmp/top"
stop sick

# Of a good answer a quantile is told as what it is: a bucket's edge.
cat >"$tmp/models.json" <<'END'
{"chaos": 1, "name": "models", "seed": "1", "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "standin"}}}
END
start models "$BIN"/kf-chaos --scenario "$tmp/models.json" --admin 127.0.0.1:0
sed "s#127.0.0.1:9#$(address models models)#" "$tmp/then.yaml" >"$tmp/well.yaml"
start well "$gw" --config "$tmp/well.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
curl -s -m 10 -o /dev/null -d '{"model":"m","messages":[]}' "http://$(address well gateway)/v1/chat/completions"
"$gw" top --admin "$(address well admin)" --count 1 >"$tmp/top"
check "top shows edges" grep -Eq '^p/a +closed +1 +0 +[0-9.]+ +[0-9.]+ +<[1-9][0-9]* +<[1-9][0-9]* ' "$tmp/top"
stop well
stop models

exits 0 "$gw" replay "$tmp/log.jsonl" --config "$tmp/then.yaml"
check "the same" grep -q '^1 requests: 0 would go elsewhere, 0 would fail' "$tmp/out"
exits 1 "$gw" replay "$tmp/log.jsonl" --config "$tmp/elsewhere.yaml"
check "another target" grep -q 'from=m: p/a -> q/b' "$tmp/out"
exits 1 "$gw" replay "$tmp/log.jsonl" --config "$tmp/refuses.yaml"
check "a refusal" grep -q 'would fail: model_not_found' "$tmp/out"
echo '{"request":"x","from":"m","target":"p/a","tokens_in":1000000,"tokens_out":0,"cost_usd":1.0}' >"$tmp/paid.jsonl"
exits 0 "$gw" replay "$tmp/paid.jsonl" --config "$tmp/then.yaml"
exits 1 "$gw" replay "$tmp/paid.jsonl" --config "$tmp/dearer.yaml"
check "another cost" grep -q 'cost 1.000000 -> 2.000000 USD' "$tmp/out"
# What was refused then is refused now, and two bills of one request are no
# other cost.
cat >"$tmp/refused.jsonl" <<END
{"request":"a","from":"m","target":"","status":400,"attempts":[],"cost_usd":0}
{"request":"b","from":"zz","target":"","status":404,"attempts":[],"cost_usd":0}
{"request":"c","from":"m","target":"p/a","status":200,"tokens_in":5,"tokens_out":5,"cost_usd":7,"attempts":[{"target":"p/a","status":200},{"target":"p/a","status":200}]}
END
exits 0 "$gw" replay "$tmp/refused.jsonl" --config "$tmp/then.yaml"
check "all are the same" grep -q '^3 requests: 0 would go elsewhere, 0 would fail; cost 0.000000 -> 0.000000' "$tmp/out"
check "one says nothing" grep -q '^1 were refused for what they asked' "$tmp/out"
conf finds p/a zz 1
exits 1 "$gw" replay "$tmp/refused.jsonl" --config "$tmp/finds.yaml"
check "a model that was not there" grep -q '^b: from=zz:  -> p/a' "$tmp/out"
sed 's/{name: p,/{name: p, apis: [messages],/; s/{name: q,/{name: q, apis: [messages],/' "$tmp/then.yaml" >"$tmp/mute.yaml"
echo '{"request":"d","from":"m","api":"responses","target":"","status":404,"attempts":[],"cost_usd":0}' >"$tmp/mute.jsonl"
exits 0 "$gw" replay "$tmp/mute.jsonl" --config "$tmp/mute.yaml"
printf '{"from":"m"' >"$tmp/torn.jsonl"
exits 0 "$gw" replay "$tmp/torn.jsonl" --config "$tmp/then.yaml"
{ cat "$tmp/paid.jsonl"; printf '{"request":"x","fro\n'; printf '{"request":"x","fro{"request":"y"}\n'; cat "$tmp/paid.jsonl"; } >"$tmp/torn.jsonl"
exits 0 "$gw" replay "$tmp/torn.jsonl" --config "$tmp/then.yaml"
check "a torn line costs no other" grep -q '^2 requests' "$tmp/out"
check "and is told" [ "$(grep -c 'warning: .*/torn.jsonl:[23]: a torn line' "$tmp/err")" = 2 ]
# A rule that asks for what the log does not keep.
{
	sed '/rules:/q' "$tmp/then.yaml"
	echo '  - {id: who, type: priority-based-routing, when: {models: [m], metadata: {who: me}}, load_balance_targets: [{target: q/b}]}'
	sed '1,/rules:/d' "$tmp/then.yaml"
} >"$tmp/who.yaml"
exits 0 "$gw" replay "$tmp/paid.jsonl" --config "$tmp/who.yaml"
check "cannot be told" grep -q '^1 cannot be told: a rule asks for metadata' "$tmp/out"
lacks "and goes nowhere" 'q/b' "$tmp/out"
sed 's/who: me/op: rope/' "$tmp/who.yaml" >"$tmp/op.yaml"
exits 0 "$gw" replay "$tmp/paid.jsonl" --config "$tmp/op.yaml"
lacks "what it keeps can" 'cannot be told' "$tmp/out"
# A log that ends within a line, by a kill or by a disk that is full for a while.
printf '{"request":"half' >"$tmp/half.jsonl"
trap '' XFSZ
start half "$gw" --config "$tmp/then.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/half.jsonl"
asks_half() { curl -s -m 10 -o /dev/null -d '{"model":"m"}' "http://$(address half gateway)/v1/chat/completions"; }
lines() { [ "$(grep -c '^{"request":"[^"]*",.*}$' "$tmp/half.jsonl")" = "$1" ]; }
dropped() { curl -s -m 10 "http://$(address half admin)/metrics" | grep -q "^kf_gateway_log_dropped_total $1"; }
asks_half
await lines 1
if command -v prlimit >/dev/null; then
	prlimit --pid "$(cat "$tmp/half.pid")" --fsize=$(($(wc -c <"$tmp/half.jsonl") + 20)):unlimited
	asks_half
	await dropped 1
	prlimit --pid "$(cat "$tmp/half.pid")" --fsize=unlimited:unlimited
	asks_half
	await lines 2
	check "the torn one stands alone" [ "$(wc -l <"$tmp/half.jsonl")" = 4 ]
fi
stop half
printf 'nonsense\n' >"$tmp/bad.jsonl"
exits 2 "$gw" replay "$tmp/bad.jsonl" --config "$tmp/then.yaml"
check "says where" grep -q 'bad.jsonl:1: expected a JSON object' "$tmp/err"
# A file of another kind is one line and no log, wherever its bytes look like one.
gzip -c "$tmp/log.jsonl" >"$tmp/packed"
printf '\000\001\377\n{"from":"m"}\n' >"$tmp/zeros"
printf '{"from":"m","x":"\377"}\n' >"$tmp/latin"
printf '{"from":"m"\000}' >"$tmp/within"
printf 'SQLite format 3\000\020\000' >"$tmp/store"
printf '[]\n' >"$tmp/list"
for file in packed zeros latin within store list; do
	exits 2 "$gw" replay "$tmp/$file" --config "$tmp/then.yaml"
	check "$file: one line: $(head -c 200 "$tmp/err")" [ "$(wc -l <"$tmp/err")" = 1 ]
	check "$file: which says where" grep -q "^kf-gateway: .*/$file:1: expected a JSON object" "$tmp/err"
done
exits 2 "$gw" replay "$tmp" --config "$tmp/then.yaml"
check "a folder is none: $(cat "$tmp/err")" [ "$(wc -l <"$tmp/err")" = 1 ]
exits 2 "$gw" replay "$tmp/none.jsonl" --config "$tmp/then.yaml"
exits 2 "$gw" replay "$tmp/log.jsonl"
