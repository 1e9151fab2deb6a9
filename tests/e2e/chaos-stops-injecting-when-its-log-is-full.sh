# A log that cannot grow ends the faults, not the proxying.
. tests/lib.sh
need curl
mkdir -p "$tmp/answers"
echo hello >"$tmp/answers/talk.txt"
cat >"$tmp/s.json" <<'JSON'
{"chaos":1,"name":"full","seed":"1",
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}},
 "rules":[{"id":"storm","when":{"always":true},"fault":{"type":"http_error","status":503}}]}
JSON
cat >"$tmp/limited" <<'SH'
ulimit -f 4
trap '' XFSZ
exec "$@"
SH
start chaos sh "$tmp/limited" "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
models=$(address chaos models)
status() {
	curl -s -o /dev/null -w '%{http_code}\n' -H 'X-TFY-METADATA: {"op":"talk"}' \
	    -d '{"model":"m","messages":[]}' "http://$models/v1/chat/completions"
}
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	status
done >"$tmp/all"
check "first it injects" test "$(head -n 1 "$tmp/all")" = 503
check "in the end it only proxies" test "$(tail -n 1 "$tmp/all")" = 200
check "it said so once" test "$(grep -c 'no more faults, proxying goes on' "$tmp/chaos.err")" = 1
fired=$(grep -c 503 "$tmp/all")
stop chaos
check "every fault is on file" test "$fired" = "$(grep -c '"result":"fired"' "$tmp/log")"
exits 1 "$BIN"/kf-chaos verify "$tmp/log"
check "the log is whole up to there, and not closed" grep -q "not closed after $(wc -l <"$tmp/log") lines" "$tmp/err"
check "the exit code says that the environment failed" test "$stopped" -eq 3
