# Any two faults of the catalogue on one answer, with the upstream's bytes at
# once and in pieces with gaps, over 1, 8 and 64 connections, in any order, and
# into a log that was used before, with clients that wait for the connection's
# end and such as leave with an answer's last byte: one run_hash.
# ALL=1 asks for all pairs (make hash-pairs), else for each 53rd.
. tests/lib.sh
need node
step=53
start fast node tests/clients/pairs.mjs upstream
start slow node tests/clients/pairs.mjs upstream 3
# Silent for good, by the clock, or on a WebSocket (chaos-passes-websockets has those).
except="blackhole latency_load ws_cut ws_delay ws_garble"
run=0
hash_of() { # UPSTREAM CONNECTIONS LOG [leaves]
	run=$((run + 1))
	start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --upstream models="$(address "$1" upstream)" --log "$3"
	timeout 280 node tests/clients/pairs.mjs ask "$(address chaos front)" "$2" $run "$tmp/s.json" ${4:-} >"$tmp/seen" 2>"$tmp/client.err" ||
	    fail "every answer ends: $(cat "$tmp/seen") $(head -n 5 "$tmp/client.err")"
	stop chaos
	check "it ends well" test "$stopped" -eq 0
	hash=$(sed -n 's/^run_hash //p' "$tmp/chaos.out")
	check "there is a run_hash" test ${#hash} -eq 64
}
differ() { # LOG LOG: what one has and the other has not
	for f in "$1" "$2"; do sed 's/,"prev":"[^"]*"//; s/"hash":"[^"]*",//; s/,"seq":[0-9]*//; s/,"wall":"[^"]*"//' "$f" | sort >"$f.plain"; done
	diff "$1.plain" "$2.plain" | head -n 20
}
node tests/clients/pairs.mjs scenario models 1 0 >"$tmp/all.json"
start known "$BIN"/kf-chaos --admin 127.0.0.1:0
node tests/clients/catalogue.mjs "$(address known admin)" "$tmp/all.json" $except >"$tmp/gaps" || fail "every fault is in a pair: $(cat "$tmp/gaps")"
stop known
for from in $([ -n "${ALL:-}" ] && seq 0 $((step - 1)) || echo 5); do
	node tests/clients/pairs.mjs scenario models $step "$from" >"$tmp/s.json"
	rm -f "$tmp"/log.*
	hash_of fast 1 "$tmp/log.first"
	first=$hash
	for how in "fast 64" "slow 8" "slow 64" "fast 8 leaves"; do
		set -- $how
		hash_of "$1" "$2" "$tmp/log.$1.$2" ${3:-}
		check "$how, pairs from $from: $hash is $first
$(differ "$tmp/log.first" "$tmp/log.$1.$2")" test "$hash" = "$first"
	done
	hash_of fast 8 "$tmp/log.first"
	check "a log that is used twice: $hash is $first" test "$hash" = "$first"
done

# A silence from the first byte on has acted; what would have come later has not.
cat >"$tmp/s.json" <<'S'
{"chaos":1,"name":"silent","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"r","when":{"always":true},"fault":[{"type":"llm_model_swap"},{"type":"limit_data","bytes":300},{"type":"header_stall"}]}]}
S
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log.silent"
curl -s -m 1 -d '{"model":"m","messages":[]}' "http://$(address chaos front)/v1/chat/completions" || true
stop chaos
check "the silence fired" test 1 = "$(grep '"fault":"header_stall"' "$tmp/log.silent" | grep -c '"result":"fired"')"
check "and nothing else" test 1 = "$(grep -c '"result":"fired"' "$tmp/log.silent")"
