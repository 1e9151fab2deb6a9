# A store that is moved away, or deleted, under a gateway: what needs it is refused,
# the log says why, nothing of what was spent meanwhile is lost, and it goes on when
# the file is back.  The same of its journal, which is made again; and a store has
# one journal's place by whatever link it is reached.
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

# Its journal: cut short, by which nobody dies, and removed; then it is killed.
ln -s "$tmp/real.db" "$tmp/link.db"
: >"$tmp/real.db"
sed "s/normal.db/link.db/" "$tmp/normal.yaml" | sed "s/, sync: normal//" >"$tmp/link.yaml"
: >"$tmp/count"
start link "$gw" --config "$tmp/link.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
key=$("$gw" keys create ann --budget 1000 --per ever --store "$tmp/real.db" 2>/dev/null)
sync=link
ask_on() { for i in 1 2 3; do check "asked" gives 200; done; }
await knows
journal=$(echo "$tmp"/real.db.spend-*)
check "it lies beside the file, not the link" [ -f "$journal" ]
told() { [ "$(grep -c 'its journal.s file was .*it is made again' "$tmp/link.err")" = "$1" ]; }
: >"$journal"
ask_on
await_in "$tmp/link.err" told 1
ask_on
rm "$journal"
ask_on
await_in "$tmp/link.err" told 2
check "it is there again" [ -s "$journal" ]
rm "$journal"
mkdir "$journal"
await_in "$tmp/link.err" grep -q 'cannot be made again: .*File exists' "$tmp/link.err"
ask_on
rmdir "$journal"
await_in "$tmp/link.err" told 3
ask_on
kill -KILL "$(cat "$tmp/link.pid")"
wait "$(cat "$tmp/link.pid")" 2>/dev/null || true
asked=$(wc -c <"$tmp/count")
for name in real link; do
	got=$("$gw" spend --json --store "$tmp/$name.db" | jq '[.[].requests]|add')
	check "killed: by $name $got of $asked" [ "$got" = "$asked" ]
done
ln "$tmp/real.db" "$tmp/hard.db"
for name in real hard; do
	exits 2 "$gw" spend --store "$tmp/$name.db"
	check "$name has two names" grep -q "the store .*$name.db has another name (a hard link)" "$tmp/err"
done
sed "s/link.db/hard.db/" "$tmp/link.yaml" >"$tmp/hard.yaml"
exits 2 "$gw" check "$tmp/hard.yaml"
exits 2 "$gw" --config "$tmp/hard.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
