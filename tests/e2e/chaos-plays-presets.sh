# Every preset is a good scenario; its rules join a scenario's own, by
# --preset or by "preset" in the file, and fire there.
. tests/lib.sh
need curl
for file in scenarios/presets/*.json; do
	check "$file is good" "$BIN"/kf-chaos check "$file" >"$tmp/out" 2>"$tmp/warnings"
done
check "there are five" test 5 = "$(ls scenarios/presets/*.json | wc -l)"
mkdir -p "$tmp/answers"
printf 'A text that is long enough to be cut somewhere in the middle of it, so to say, and goes on for some more events.' >"$tmp/answers/talk.txt"
scenario() { # MORE
	printf '{"chaos":1,"name":"p","seed":"7"%s,"proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}}}' "$1"
}
run() { # NAME ARGS...
	name=$1
	shift
	start "$name" "$BIN"/kf-chaos --admin 127.0.0.1:0 --log "$tmp/$name.log" "$@"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		curl -sN -m 2 -o "$tmp/body" -H "x-session-id: s/$i" -H 'X-TFY-METADATA: {"op":"talk"}' \
		    -d '{"model":"m","stream":true,"messages":[]}' "http://$(address "$name" models)/v1/chat/completions" || true
	done
	stop "$name"
}
scenario '' >"$tmp/plain.json"
scenario ',"preset":"rate_limit_storm"' >"$tmp/with.json"
run by_option --scenario "$tmp/plain.json" --preset rate_limit_storm
run by_file --scenario "$tmp/with.json"
check "the storm is there" grep -q '"result":"fired","rule":"rate_limit_storm.storm"' "$tmp/by_file.log"
check "both ways are one" test "$(grep run_hash "$tmp/by_option.out")" = "$(grep run_hash "$tmp/by_file.out")"
sed 's/}$/,"rules":[{"id":"never","match":{"path":"\/nowhere"},"when":{"always":true},"goal":"fired>=1","fault":{"type":"noop"}}]}/' "$tmp/plain.json" >"$tmp/unmet.json"
start unmet "$BIN"/kf-chaos --admin 127.0.0.1:0 --scenario "$tmp/unmet.json" --preset brownout --preset liar
stop unmet
check "a goal that is not met is a failure" test "$stopped" = 1
check "a run with presets is repeated with them" grep -q "to repeat: kf-chaos --scenario $tmp/unmet.json --preset brownout --preset liar --seed 7 " "$tmp/unmet.err"
exits 2 "$BIN"/kf-chaos --preset nonsense --admin 127.0.0.1:0
check "an unknown preset is named" grep -q nonsense "$tmp/err"
scenario ',"preset":7' >"$tmp/bad.json"
exits 2 "$BIN"/kf-chaos check "$tmp/bad.json"
check "with its pointer" grep -q '/preset: found integer 7, expected the name of a preset' "$tmp/err"
