# One seed, 64 connections, five runs in five orders, and one connection: one
# run_hash.  Another seed or a changed scenario gives another.  SLOW, a kf-chaos
# built otherwise (under sanitizers), must give the same one too.
. tests/lib.sh
need node
cat >"$tmp/s.json" <<'S'
{"chaos":1,"name":"many","seed":"7",
 "proxies":{"front":{"listen":"127.0.0.1:0","upstream":"models"},"models":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[
  {"id":"late","proxy":"front","when":{"p":0.5},"fault":{"type":"latency","latency":3,"jitter":3},"also":true},
  {"id":"busy","proxy":"models","match":{"model":"small"},"when":{"burst":{"start_p":0.2,"len":[1,3]}},"fault":{"type":"http_error","status":429,"retry_after":"1"}},
  {"id":"quota","proxy":"models","when":{"always":true},"fault":{"type":"quota","requests":2,"calls":3},"also":true},
  {"id":"gone","proxy":"models","when":{"p":0.05},"fault":{"type":"empty_reply"}},
  {"id":"cut","proxy":"front","match":{"stream":true},"when":{"p":0.3},"fault":{"type":"sse_cut","after_events":2,"how":"rst"}},
  {"id":"mangle","proxy":"models","match":{"stream":true},"when":{"nth":2},"fault":{"type":"sse_mangle","how":"bad_json","at":1}},
  {"id":"again","proxy":"models","when":{"after":{"rule":"quota"}},"fault":{"type":"llm_empty"}}]}
S
hash_of() { # CONNECTIONS ORDER SCENARIO [PROGRAM ARGS...]
	connections=$1 order=$2 scenario=$3
	shift 3
	[ $# != 0 ] || set -- "$BIN"/kf-chaos
	start chaos "$@" --scenario "$scenario" --admin 127.0.0.1:0 --upstream models=@"$tmp/chaos.ready" --log "$tmp/log.$order"
	timeout 60 node tests/clients/many.mjs "$(address chaos front)" "$connections" "$order" >"$tmp/seen" 2>"$tmp/client.err" ||
	    fail "the client asks everything"
	stop chaos
	check "it ends well" test "$stopped" -eq 0
	hash=$(sed -n 's/^run_hash //p' "$tmp/chaos.out")
	check "there is a run_hash" test ${#hash} -eq 64
}
hash_of 64 1 "$tmp/s.json"
first=$hash
check "faults of every rule fired" test "$(grep '"result":"fired"' "$tmp/log.1" | grep -o '"rule":"[a-z]*"' | sort -u | wc -l)" -eq 7
for order in 2 3 4 5; do
	hash_of 64 $order "$tmp/s.json"
	check "run $order, 64 connections: $hash is $first" test "$hash" = "$first"
done
hash_of 1 6 "$tmp/s.json"
check "one connection: $hash is $first" test "$hash" = "$first"
if [ -n "${SLOW:-}" ]; then
	hash_of 64 7 "$tmp/s.json" "$SLOW"
	check "built otherwise: $hash is $first" test "$hash" = "$first"
fi
hash_of 64 8 "$tmp/s.json" "$BIN"/kf-chaos --seed 8
check "another seed, another hash" test "$hash" != "$first"
sed 's/"start_p":0.2/"start_p":0.3/' "$tmp/s.json" >"$tmp/t.json"
hash_of 64 9 "$tmp/t.json"
check "another scenario, another hash" test "$hash" != "$first"
