# Prices that are built in carry their day, hold for the makers' own hosts
# alone, and yield to the configuration's.
. tests/lib.sh
need jq
gw="$BIN"/kf-gateway
exits 0 "$gw" prices
check "a table with its day" grep -qE '^api.openai.com/gpt-4o-mini +0\.15 +0\.075 +0\.6 +20[0-9]{2}-[0-9]{2}-[0-9]{2}$' "$tmp/out"
exits 0 "$gw" prices --json
check "as JSON" [ "$(jq -c '[.[]|select(.target=="api.deepseek.com/deepseek-v4-flash")|.input,.cached_input,.output,.schedule[1].from,.schedule[1].factor]' "$tmp/out")" = '[0.3,0.006,1.2,"10:00",0.5]' ]
check "each has a page where it can be looked up" jq -e 'all(.source | startswith("https://"))' "$tmp/out"
check "and a table of somebody else's is compared with them" sh -c "jq 'map({key: (.target | split(\"/\")[1]), value: {input_cost_per_token: (.input / 1e6), cache_read_input_token_cost: (.cached_input / 1e6), output_cost_per_token: (.output / 1e6)}}) | from_entries' '$tmp/out' >'$tmp/same.json' && KF_GATEWAY='$gw' python3 tests/prices.py '$tmp/same.json'"
exits 1 sh -c "jq '.\"gpt-4o\".output_cost_per_token = 1e-6 | del(.o3)' '$tmp/same.json' >'$tmp/other.json' && KF_GATEWAY='$gw' python3 tests/prices.py '$tmp/other.json'"
check "what differs is named" grep -q 'gpt-4o: .*output 10, there 1$' "$tmp/out"
check "and what is not there" grep -q 'o3: not there' "$tmp/out"
exits 0 "$gw" prices --json
cat >"$tmp/g.yaml" <<'END'
providers:
  - {name: mine, base_url: "https://api.openai.com/v1"}
  - {name: here, base_url: "http://127.0.0.1:9/v1"}
prices: [{target: mine/gpt-4.1, input: 7, output: 9}]
counterfactual: {primary: mine/gpt-4o, escalation: mine/gpt-4.1}
rules:
  - id: all
    type: priority-based-routing
    load_balance_targets: [{target: mine/gpt-4o}, {target: mine/gpt-4o-2024-08-06}, {target: mine/gpt-4.1}, {target: here/gpt-4o}, {target: mine/nobody-knows}]
END
exits 0 "$gw" check "$tmp/g.yaml"
exits 0 "$gw" prices --config "$tmp/g.yaml" --json
# Added to, since jq 1.7 keeps 10.0 as it is spelled.
row() { jq -c --arg t "$1" '.[]|select(.target==$t)|[(.input,.output|if . then . + 0 else . end),.from]' "$tmp/out"; }
date=$("$gw" prices --json | jq -r '.[0].from')
check "built in" [ "$(row mine/gpt-4o)" = "[2.5,10,\"$date\"]" ]
check "with a date" [ "$(row mine/gpt-4o-2024-08-06)" = "[2.5,10,\"$date\"]" ]
check "the configuration's" [ "$(row mine/gpt-4.1)" = '[7,9,"the configuration"]' ]
for t in here/gpt-4o mine/nobody-knows; do
	check "$t" [ "$(row $t)" = '[null,null,"nobody: counted as 0"]' ]
done
exits 0 "$gw" prices --config "$tmp/g.yaml"
check "a table of them" grep -qE '^mine/nobody-knows +- +- +-  nobody: counted as 0' "$tmp/out"
exits 2 "$gw" prices --config "$tmp/none.yaml"
exits 2 "$gw" prices more
