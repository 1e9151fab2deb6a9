# The stand-in plays several turns that react, in five model APIs, and a rule
# with "turn" strikes that turn of each conversation, whatever came when: forty
# conversations, sixteen at once, in three orders, are one run_hash.
. tests/lib.sh
need python3
cat >"$tmp/s.json" <<'S'
{"chaos":1,"name":"turns","seed":"7",
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"standin","tool_calls":3}},
 "rules":[
  {"id":"second","match":{"turn":2,"attempt":1},"when":{"always":true},"fault":{"type":"http_error","status":503},"goal":"fired==40"},
  {"id":"last","match":{"turn":4},"when":{"p":0.5},"fault":{"type":"latency","latency":3},"goal":"fired>=1"}]}
S
for order in 1 2 3; do
	start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log.$order"
	timeout 60 python3 tests/clients/converse.py "$(address chaos models)" $order >"$tmp/seen.$order" 2>"$tmp/client.err" || fail "they converse"
	stop chaos
	check "its goals are met" test "$stopped" = 0
	sed -n 's/^run_hash //p' "$tmp/chaos.out" >>"$tmp/hashes"
	check "order $order: the same conversations" cmp "$tmp/seen.1" "$tmp/seen.$order"
done
check "one run_hash: $(cat "$tmp/hashes")" test "$(sort -u "$tmp/hashes" | wc -l)" = 1
check "forty of them, each struck in its second turn alone, with three calls that can be told apart" \
    test "$(grep -c ' again=\[2\] {"city":"text"} {"city":"text2"} {"city":"text3"} Here is what I found\.' "$tmp/seen.1")" = 40
check "in five APIs" test "$(cut -d' ' -f1 "$tmp/seen.1" | sort -u | wc -l)" = 5

# A tool that fails is tried once more, one that may not be used is left.
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
for react in fail deny; do
	timeout 60 python3 tests/clients/converse.py "$(address chaos models)" 1 $react >"$tmp/$react" 2>"$tmp/client.err" || fail "they converse"
done
stop chaos
check "a failure is tried once more: $(head -n 1 "$tmp/fail")" test "$(grep -c ' {"city":"text"} {"city":"text"} The tool failed' "$tmp/fail")" = 40
check "a refusal is taken: $(head -n 1 "$tmp/deny")" test "$(grep -c '\] {"city":"text"} It may not be done' "$tmp/deny")" = 40

cat >"$tmp/bad.json" <<'S'
{"chaos":1,"name":"bad","seed":"7","proxies":{"models":{"listen":"127.0.0.1:0","upstream":"127.0.0.1:1","tool_calls":3}}}
S
exits 2 "$BIN"/kf-chaos check "$tmp/bad.json"
check "only a stand-in makes calls: $(cat "$tmp/err")" grep -q '/proxies/models/tool_calls: expected it on a proxy of mode standin alone' "$tmp/err"
