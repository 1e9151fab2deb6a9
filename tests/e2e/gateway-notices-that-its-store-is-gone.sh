# A store that is moved away, or deleted, under a gateway: what needs it is refused,
# the log says why, nothing of what was spent meanwhile is lost, and it goes on when
# the file is back.
. tests/lib.sh
need curl
need jq
need node
gw="$BIN"/kf-gateway
serve_spender up
for sync in normal full; do
	cat >"$tmp/$sync.yaml" <<END
providers: [{name: p, base_url: "http://$(address up upstream)/v1"}]
prices: [{target: p/m, input: 1000, output: 1000}]
store: {path: "$tmp/$sync.db", sync: $sync}
END
	: >"$tmp/count"
	start $sync "$gw" --config "$tmp/$sync.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
	key=$("$gw" keys create ann --budget 1000 --per ever --store "$tmp/$sync.db" 2>/dev/null)
	ask() {
		curl -s -m 20 -o "$tmp/said" -w '%{http_code}' -H "x-api-key: $key" -d '{"model":"m","messages":[],"uses_in":10,"max_tokens":10}' "http://$(address $sync gateway)/v1/chat/completions"
	}
	gives() { [ "$(ask)" = "$1" ]; }
	spent() { "$gw" keys show ann --json --store "$tmp/$sync.db" | jq '.[0].spent_usd + 0'; }
	knows() { [ "$(curl -s -m 20 -o "$tmp/said" -w '%{http_code}' "http://$(address $sync gateway)/v1/models")" = 401 ] && gives 200; }
	await knows
	mkdir "$tmp/away"
	for f in "$tmp/$sync.db" "$tmp/$sync.db"-*; do [ ! -e "$f" ] || mv "$f" "$tmp/away"; done
	asked_on() { ask >/dev/null; grep -q 'it was moved or deleted' "$tmp/$sync.err"; }
	await asked_on
	[ $sync = normal ] || {
		check "nobody asks without it" gives 503
		check "and that is said" grep -q store_unavailable "$tmp/said"
	}
	mv "$tmp/away"/* "$tmp"
	rmdir "$tmp/away"
	again() { gives 200 && grep -q 'it works again\|is folded again' "$tmp/$sync.err"; }
	await again
	stop $sync
	check "it ends well: $stopped" [ "$stopped" = 0 ]
	want=$(wc -c <"$tmp/count" | awk '{ printf "%.2f", $1 * 0.02 }')
	check "all is counted: $(spent) of $want" [ "$(spent | awk '{ printf "%.2f", $1 }')" = "$want" ]
done
